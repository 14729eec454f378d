import { resolveReviewThread } from '../../github/review-threads.ts';
import type { ReviewThread } from '../../github/review-threads.ts';
import { fixNote, isFixNote } from './fix-note.ts';
import type { LedgerEntry } from './ledger.ts';
import { threadOf } from './read-ledger.ts';
import type { HistoryRequest } from './read-ledger.ts';

/**
 * Says in the threads of fixed findings what fixed them, and resolves them (R6): once, however often it is done. Threads
 * that somebody resolved are left as they are, and so are those that somebody opened again after we had. What GitHub refuses is reported and stops nothing.
 */
export async function settleThreads(
  request: HistoryRequest & {
    readonly threads: readonly ReviewThread[];
    /** Ids of those that this head fixed. */
    readonly fixedNow: ReadonlySet<string>;
    readonly log: LogFailure;
  },
  entries: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, state, fixedBy } of entries) {
    if (state !== 'fixed' || fixedBy === undefined) continue;
    const thread = threadOf(request.threads, id, request.ownLogin);
    if (!thread || thread.isResolved) continue;
    if (!request.fixedNow.has(id) && isToldFixed(thread, request.ownLogin)) continue;
    await resolveAsFixed(request, thread, fixedBy, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      request.log('a review thread could not be resolved', error);
    });
  }
}

export type LogFailure = (message: string, error: unknown) => void;

/** Answers in the thread with the fixing commit, and resolves it. */
export async function resolveAsFixed(
  { github, repo, number, ownLogin }: HistoryRequest,
  thread: ReviewThread,
  sha: string,
  signal: AbortSignal,
): Promise<void> {
  const body = fixNote(sha);
  const [first] = thread.comments;
  const isSaid = thread.comments.some((comment) => comment.login === ownLogin && comment.body === body);
  if (!isSaid && first) {
    const reply = { ...repo, pull_number: number, comment_id: first.id, body, request: { signal } };
    await github.rest.pulls.createReplyForReviewComment(reply);
  }
  await resolveReviewThread(github, thread.id, signal);
}

function isToldFixed({ comments }: ReviewThread, ownLogin: string): boolean {
  return comments.some(({ login, body }) => login === ownLogin && isFixNote(body));
}
