import type { GitHub } from '../github/client.ts';
import { readReviewThreads } from '../github/review-threads.ts';
import type { ReviewThread } from '../github/review-threads.ts';
import type { RepoRef } from '../github/repository.ts';
import { parseLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { findingMarker } from './markers.ts';
import type { ThreadState } from './reconcile.ts';

export interface OwnReview {
  readonly id: number;
  readonly url: string;
  readonly state: string;
  readonly headSha: string;
  readonly body: string;
  readonly submittedAt: string;
}

/** What earlier reviews of a pull request left on GitHub (R6): it is the store, so that an Action without one has it, too. */
export interface ReviewHistory {
  /** Oldest first. */
  readonly reviews: readonly OwnReview[];
  readonly ledger: Ledger;
  /** Undefined where the token may not read them. */
  readonly threads: readonly ReviewThread[] | undefined;
}

export interface HistoryRequest {
  readonly github: GitHub;
  readonly repo: RepoRef;
  readonly number: number;
  /** Marks count only in what this login wrote. */
  readonly ownLogin: string;
}

export async function readReviewHistory(request: HistoryRequest, signal?: AbortSignal): Promise<ReviewHistory> {
  const { github, repo, number } = request;
  const reviews = await readOwnReviews(request, signal);
  if (reviews.length === 0) return { reviews, ledger: { reviewedHead: undefined, entries: [] }, threads: [] };
  const threads = await readReviewThreads(github, repo, number, signal).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    return undefined;
  });
  const entries = reviews.findLast(({ body }) => parseLedger(body) !== undefined);
  const ledger = { reviewedHead: reviews.at(-1)?.headSha, entries: entries ? (parseLedger(entries.body) ?? []) : [] };
  return { reviews, ledger, threads };
}

export async function readOwnReviews(
  { github, repo, number, ownLogin }: HistoryRequest,
  signal?: AbortSignal,
): Promise<OwnReview[]> {
  const pages = { ...repo, pull_number: number, per_page: 100, request: { signal } };
  const reviews = await github.paginate(github.rest.pulls.listReviews, pages);
  return reviews.flatMap((review) => {
    const headSha = /<!-- dsh:review \S+ ([0-9a-f]{40,64}) -->/.exec(review.body)?.[1];
    if (headSha === undefined || review.user?.login !== ownLogin) return [];
    const { id, html_url: url, state, body, submitted_at: submittedAt = '' } = review;
    return [{ id, url, state, headSha, body, submittedAt }];
  });
}

/** The thread of a finding: the one whose first comment is ours and bears its mark. */
export function threadOf(threads: readonly ReviewThread[], id: string, ownLogin: string): ReviewThread | undefined {
  const marker = findingMarker(id);
  return threads.find(({ comments: [first] }) => first?.login === ownLogin && first.body.includes(marker));
}

/** Whoever resolved a thread but we ourselves has dismissed its finding. */
export function threadStates(threads: readonly ReviewThread[], ownLogin: string): (id: string) => ThreadState {
  return (id) => {
    const thread = threadOf(threads, id, ownLogin);
    if (!thread) return 'deleted';
    if (!thread.isResolved) return 'open';
    return thread.resolvedBy === ownLogin ? 'resolved-by-us' : 'resolved-by-person';
  };
}
