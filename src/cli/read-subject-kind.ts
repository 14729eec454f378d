import { DshError } from '../errors.ts';
import type { GitHub } from '../github/client.ts';
import { statusOf } from '../github/request-hook.ts';
import type { SubjectRef } from '../triggers/reading.ts';
import type { SubjectAddress } from './parse-subject-url.ts';

/** GitHub opens a pull request under the address of an issue, too: which of both it is. Throws `GITHUB_NOT_FOUND`. */
export async function readSubjectKind(
  github: GitHub,
  { owner, repo, subject }: SubjectAddress,
  signal: AbortSignal,
): Promise<SubjectRef> {
  const { number } = subject;
  const at = { owner, repo, request: { signal } };
  try {
    if (subject.kind === 'pull') {
      await github.rest.pulls.get({ ...at, pull_number: number });
      return subject;
    }
    const { data } = await github.rest.issues.get({ ...at, issue_number: number });
    return { kind: data.pull_request ? 'pull' : 'issue', number };
  } catch (error) {
    if (![404, 410].includes(statusOf(error) ?? 0)) throw error;
    throw notFound({ owner, repo, subject }, error);
  }
}

function notFound({ owner, repo, subject }: SubjectAddress, cause: unknown): DshError {
  const what = subject.kind === 'pull' ? 'The pull request' : 'The issue';
  const hint = 'Check the number, and that GITHUB_TOKEN may read it.';
  return new DshError(`${what} ${owner}/${repo}#${subject.number} was not found.`, 'GITHUB_NOT_FOUND', hint, { cause });
}
