import type { GitHub } from '../../github/client.ts';
import { deleteComment, findComments } from '../../github/comments.ts';
import type { CommentPlace, OwnComment } from '../../github/comments.ts';
import type { RepoRef } from '../../github/repository.ts';
import { HarnessError } from '../../harness/llm/errors.ts';

const CODE = 'TAKEN_ELSEWHERE';

export function isTakenElsewhere(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === CODE;
}

/**
 * Two hosts without a common store may both have begun a job: of the comments that bots made for its cause the oldest
 * goes on (T6). Any other is deleted, and this throws.
 */
export async function yieldToOlder(
  { github, repo, ownLogin }: { github: GitHub; repo: RepoRef; ownLogin: string },
  place: CommentPlace,
  own: OwnComment,
  cause: string,
): Promise<void> {
  const marker = new RegExp(`<!-- dsh:job \\S+ ${cause.replaceAll(/[^\w-]/g, '\\$&')} -->`);
  const older = await findComments(github, repo, place, ({ id, user, body }) => {
    const isOthers = user?.type === 'Bot' && user.login !== ownLogin;
    return isOthers && id < own.id && marker.test(body ?? '');
  });
  if (older.length === 0) return;
  await deleteComment(github, repo, place, own.id);
  throw takenElsewhere(cause);
}

export function takenElsewhere(cause: string): HarnessError {
  return new HarnessError(`another bot works on ${cause}`, CODE);
}
