import { setTimeout as sleep } from 'node:timers/promises';
import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import { bearsMark } from './last-mark.ts';
import { placeKey } from './plan-review.ts';
import type { ReviewPlan } from './plan-review.ts';
import { siftComments } from './sift-comments.ts';

export interface PublishedReview {
  readonly id: number;
  readonly url: string;
  /** As it was posted. */
  readonly plan: ReviewPlan;
}

export interface ReviewRequest {
  readonly number: number;
  /** The review without comments at these places (`placeKey`). */
  readonly planWithout: (refused: ReadonlySet<string>) => ReviewPlan;
  /** Hidden texts that, all together, name this review. */
  readonly markers: readonly string[];
  readonly ownLogin: string;
}

/**
 * Posts one review (R5), once: a review with its markers that is there already is taken as done. Where GitHub refuses
 * comments (422), those are told in the body and the others stay on their lines (R3).
 */
export async function publishReview(
  github: GitHub,
  repo: RepoRef,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<PublishedReview> {
  const plan = request.planWithout(new Set());
  const earlier = await findReview(github, repo, request, signal);
  if (earlier) return { ...earlier, plan };
  let refusal: unknown;
  for await (const attempt of attempts(plan)) {
    try {
      return await post(attempt);
    } catch (error) {
      if (statusOf(error) !== 422) throw error;
      refusal = error;
    }
  }
  throw refusal;

  /** Each gives up a little more of the review's form, and nothing of what it says. */
  async function* attempts(whole: ReviewPlan): AsyncGenerator<Attempt> {
    yield { plan: whole, isPinned: true };
    const event = isAboutOwn(refusal) ? 'COMMENT' : whole.event;
    if (event !== whole.event) yield { plan: { ...whole, event }, isPinned: true };
    const { commitId, comments } = whole;
    const areRefused = event === 'COMMENT';
    const pull = { ...repo, pull_number: request.number };
    const refused = await siftComments(github, pull, { commitId, comments, areRefused }, signal);
    // Where it takes every comment, it is the event that it refuses.
    const left = refused.length === 0 ? 'COMMENT' : event;
    yield { plan: { ...request.planWithout(new Set(refused.map(placeKey))), event: left }, isPinned: true };
    // The commit may be no part of the pull request any more.
    const told = request.planWithout(new Set(comments.map(placeKey)));
    yield { plan: { ...told, event: 'COMMENT' }, isPinned: false };
  }

  async function post(attempt: Attempt): Promise<PublishedReview> {
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await postOnce(attempt);
      } catch (error) {
        if ((statusOf(error) ?? 0) < 500) throw error;
        signal.throwIfAborted();
        // A post of unknown outcome may have worked; where it has not, all that was found would be lost.
        const made = await findReview(github, repo, request, signal);
        if (made) return { ...made, plan };
        if (pause > LONGEST_PAUSE_MS) throw error;
        await sleep(pause, undefined, { signal });
      }
    }
  }

  async function postOnce({ plan: posted, isPinned }: Attempt): Promise<PublishedReview> {
    const { data } = await github.rest.pulls.createReview({
      ...{ ...repo, pull_number: request.number, event: posted.event, body: posted.body },
      ...(isPinned && { commit_id: posted.commitId }),
      comments: posted.comments.map((comment) => ({ ...comment })),
      request: { signal },
    });
    return { id: data.id, url: data.html_url, plan: posted };
  }
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;

interface Attempt {
  readonly plan: ReviewPlan;
  /** To the reviewed commit. */
  readonly isPinned: boolean;
}

/** Nobody may approve, or ask for changes, on a pull request of their own. */
function isAboutOwn(error: unknown): boolean {
  return /own pull request/i.test(Error.isError(error) ? error.message : '');
}

async function findReview(
  github: GitHub,
  repo: RepoRef,
  { number, markers, ownLogin }: ReviewRequest,
  signal: AbortSignal,
): Promise<{ id: number; url: string } | undefined> {
  const pages = { ...repo, pull_number: number, per_page: 100, request: { signal } };
  const reviews = await github.paginate(github.rest.pulls.listReviews, pages);
  const isIt = (body: string) => markers.every((marker) => bearsMark(body, marker));
  const found = reviews.find((review) => review.user?.login === ownLogin && isIt(review.body));
  return found && { id: found.id, url: found.html_url };
}
