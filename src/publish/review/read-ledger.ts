import type { GitHub } from '../../github/client.ts';
import { readReviewThreads } from '../../github/review-threads.ts';
import type { ReviewThread } from '../../github/review-threads.ts';
import type { RepoRef } from '../../github/repository.ts';
import { parseLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { isFixNote } from './fix-note.ts';
import { bearsMark, lastMark } from './last-mark.ts';
import { findingMarker, PART_MARKER } from '../markers.ts';
import type { ThreadState } from './reconcile.ts';

export interface OwnReview {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
  readonly url: string;
  readonly state: string;
  readonly headSha: string;
  readonly body: string;
  readonly submittedAt: string;
  /** It looked only at the paths that it was asked for. */
  readonly isPart: boolean;
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
  const reviewedHead = reviews.findLast(({ isPart }) => !isPart)?.headSha;
  const ledger = { reviewedHead, entries: entries ? (parseLedger(entries.body) ?? []) : [] };
  return { reviews, ledger, threads };
}

export async function readOwnReviews(request: HistoryRequest, signal?: AbortSignal): Promise<OwnReview[]> {
  return (await readMarkedReviews(request, signal)).filter(({ login }) => login === request.ownLogin);
}

const REVIEW = /^<!-- dsh:review \S+ ([0-9a-f]{40,64}) -->$/;

/** All reviews that bear our mark, whoever wrote them. */
export async function readMarkedReviews(
  { github, repo, number }: Omit<HistoryRequest, 'ownLogin'>,
  signal?: AbortSignal,
): Promise<OwnReview[]> {
  const pages = { ...repo, pull_number: number, per_page: 100, request: { signal } };
  const reviews = await github.paginate(github.rest.pulls.listReviews, pages);
  return reviews.flatMap((review) => {
    const headSha = REVIEW.exec(lastMark(review.body, 'dsh:review') ?? '')?.[1];
    if (headSha === undefined || !review.user) return [];
    const { id, html_url: url, state, body, submitted_at: submittedAt = '' } = review;
    const { login, type } = review.user;
    const isPart = bearsMark(body, PART_MARKER);
    return [{ id, login, isBot: type === 'Bot', url, state, headSha, body, submittedAt, isPart }];
  });
}

/**
 * The thread of a finding: the one whose first comment is ours and has its mark last, since a suggestion may hold any text; the
 * newest, since what comes back after it was fixed has one more.
 */
export function threadOf(threads: readonly ReviewThread[], id: string, ownLogin: string): ReviewThread | undefined {
  const marker = findingMarker(id);
  return threads.findLast(({ comments: [first] }) => first?.login === ownLogin && bearsMark(first.body, marker));
}

/**
 * Who resolved a thread without our word for what fixed it has dismissed its finding: a person may use the very login that
 * we write with.
 */
export function threadStates(threads: readonly ReviewThread[], ownLogin: string): (id: string) => ThreadState {
  return (id) => {
    const thread = threadOf(threads, id, ownLogin);
    if (!thread) return 'deleted';
    if (!thread.isResolved) return 'open';
    const isOurs =
      thread.resolvedBy === ownLogin && thread.comments.some((one) => one.login === ownLogin && isFixNote(one.body));
    return isOurs ? 'resolved-by-us' : 'resolved-by-person';
  };
}
