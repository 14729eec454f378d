import type { HistoryRequest, OwnReview } from './read-ledger.ts';
import type { LogFailure } from './settle-threads.ts';

/**
 * Takes back our earlier requests for changes once nothing that blocks is open: a later comment would leave them standing.
 * What GitHub refuses, as where branch rules say who may dismiss, is reported and stops nothing.
 */
export async function withdrawChangeRequests(
  { github, repo, number, headSha, log }: HistoryRequest & { readonly headSha: string; readonly log: LogFailure },
  earlier: readonly OwnReview[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, state } of earlier) {
    if (state !== 'CHANGES_REQUESTED') continue;
    const message = `Nothing that blocks is open at ${headSha}.`;
    const dismissal = { ...repo, pull_number: number, review_id: id, message, request: { signal } };
    await github.rest.pulls.dismissReview(dismissal).catch((error: unknown) => {
      signal.throwIfAborted();
      log('an earlier request for changes could not be taken back', error);
    });
  }
}
