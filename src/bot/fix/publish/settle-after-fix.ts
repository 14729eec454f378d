import { readReviewThreads } from '../../../github/review-threads.ts';
import { tellOwnHead } from '../../../publish/review/review-check.ts';
import { resolveAsFixed } from '../../../publish/review/settle-threads.ts';
import type { JobRequest, Produced } from '../../job/job.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { problemOf } from '../../telling/problem.ts';

export interface PublishedFix {
  readonly produced: Produced;
  /** Whether it claims to mend what it was asked for, and nothing it broke is known. */
  readonly isVerified: boolean;
}

/**
 * What a published fix settles beside itself: the head it pushed has its check at once (R9), and the review thread it was
 * asked for in is resolved once it is verified (R11). What GitHub refuses is said in a note; the fix stands all the same.
 */
export async function settleAfterFix(
  { subject, signal }: Pick<Workplace, 'subject' | 'signal'>,
  { access, turn: { reading } }: JobRequest,
  { produced, isVerified }: PublishedFix,
): Promise<string[]> {
  if (produced.kind !== 'commit' && produced.kind !== 'pull-request') return [];
  const { commitSha: sha } = produced;
  const thread = reading.kind === 'command' && threadOf(reading.comment?.place);
  return [
    ...(await noted('The check of the new head could not be written', () =>
      tellOwnHead({ github: access.github, repo: access.repo, headSha: sha, ownLogin: access.ownLogin }, signal),
    )),
    ...(thread && isVerified && produced.kind === 'commit'
      ? await noted('The review thread could not be resolved', () => resolveThread(thread.rootId, sha))
      : []),
  ];

  async function resolveThread(rootId: number, fixedBy: string): Promise<void> {
    const pull = { ...access, number: subject.number };
    const threads = await readReviewThreads(access.github, access.repo, subject.number, signal);
    const found = threads.find(({ comments }) => comments[0]?.id === rootId);
    if (found && !found.isResolved) await resolveAsFixed(pull, found, fixedBy, signal);
  }

  async function noted(failure: string, write: () => Promise<void>): Promise<string[]> {
    try {
      await write();
      return [];
    } catch (error) {
      signal.throwIfAborted();
      return [`${failure}: ${problemOf(error).message}`];
    }
  }
}

type Comment = Extract<JobRequest['turn']['reading'], { kind: 'command' }>['comment'];

function threadOf(place: NonNullable<Comment>['place'] | undefined) {
  return place?.kind === 'review-comment' ? place.thread : undefined;
}
