import type { GitHub } from '../../github/client.ts';
import { statusOf } from '../../github/request-hook.ts';
import { pendingReviewInTheWay } from '../../github/errors.ts';
import { DRAFT_MARKER } from '../markers.ts';
import type { ReviewComment } from './plan-review.ts';

/** GitHub does not say which of several comments it refuses; so many tries are made to find out. */
const MAX_TRIES = 12;

interface SiftedComments {
  readonly commitId: string;
  readonly comments: readonly ReviewComment[];
  /** Whether some of them are known to be refused; else it may be something else of the review. */
  readonly areRefused: boolean;
}

/**
 * The comments that GitHub refuses on this commit, found by halves: each try is a review that nobody else sees, and is
 * taken back. What is not found out within the tries counts as refused.
 */
export async function siftComments(
  github: GitHub,
  pull: { owner: string; repo: string; pull_number: number },
  { commitId, comments, areRefused }: SiftedComments,
  signal: AbortSignal,
): Promise<ReviewComment[]> {
  let tries = 0;
  const stoodInTheWay = await removePending(github, pull, signal);
  return sift(comments, areRefused && !stoodInTheWay);

  /** `isRefused`: known from a try of all of them. */
  async function sift(some: readonly ReviewComment[], isRefused: boolean): Promise<ReviewComment[]> {
    if (some.length === 0) return [];
    if (!isRefused && tries < MAX_TRIES && (await isTaken(some))) return [];
    if (some.length === 1 || tries >= MAX_TRIES) return [...some];
    const half = Math.ceil(some.length / 2);
    return [...(await sift(some.slice(0, half), false)), ...(await sift(some.slice(half), false))];
  }

  async function isTaken(some: readonly ReviewComment[]): Promise<boolean> {
    tries += 1;
    const copies = some.map((comment) => ({ ...comment }));
    const draft = { ...pull, commit_id: commitId, body: DRAFT_MARKER, comments: copies, request: { signal } };
    try {
      const { data } = await github.rest.pulls.createReview(draft);
      await github.rest.pulls.deletePendingReview({ ...pull, review_id: data.id, request: { signal } });
      return true;
    } catch (error) {
      if (statusOf(error) === 422) return false;
      throw error;
    }
  }
}

/** One that a crash left behind would make GitHub refuse every other. A person who lends us a token may be writing one. */
async function removePending(
  github: GitHub,
  pull: { owner: string; repo: string; pull_number: number },
  signal: AbortSignal,
): Promise<boolean> {
  const reviews = await github.paginate(github.rest.pulls.listReviews, { ...pull, per_page: 100, request: { signal } });
  const pending = reviews.filter(({ state }) => state === 'PENDING');
  if (pending.some(({ body }) => body !== DRAFT_MARKER)) throw pendingReviewInTheWay(pull.pull_number);
  for (const { id } of pending) {
    await github.rest.pulls.deletePendingReview({ ...pull, review_id: id, request: { signal } });
  }
  return pending.length > 0;
}
