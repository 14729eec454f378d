import type { RepositoryAccess } from '../../bot/job/job.ts';
import { isGone } from '../../github/request-hook.ts';
import { requestMarker } from '../../publish/markers.ts';
import { REQUEST_TEXTS } from '../../publish/request/request-texts.ts';
import type { HumanRequest } from '../../store/records.ts';

/**
 * Whether the comment of a request tells that it was answered, while what is kept knows of no answer: a run that went on with one
 * could not keep what it did.
 */
export async function wasAnswered(
  { id, commentId }: Pick<HumanRequest, 'id' | 'commentId'>,
  { github, repo, ownLogin }: Pick<RepositoryAccess, 'github' | 'repo' | 'ownLogin'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (commentId === undefined) return false;
  try {
    const wanted = { ...repo, comment_id: commentId, request: { signal } };
    const { data } = await github.rest.issues.getComment(wanted);
    return data.user?.login === ownLogin && HEADINGS.some((heading) => data.body?.startsWith(headed(id, heading)));
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** That nobody answered comes out again when it is looked at again. */
const HEADINGS = Object.values(REQUEST_TEXTS).flatMap(({ ended: { unavailable: _, ...answered } }) =>
  Object.values(answered),
);

function headed(id: string, heading: string): string {
  return `${requestMarker(id)}\n**${heading}**`;
}
