import { findPull } from '../changes/find-pull.ts';
import { readNewComment } from '../changes/review-comments.ts';
import {
  commentsOf,
  createReview,
  emitReview,
  submit,
  type ReviewEvent,
  type ReviewFields,
} from '../changes/reviews.ts';
import { accountOf } from '../hub.ts';
import type { Issue, Pull, Review } from '../records.ts';
import { notFound, unprocessable } from '../refusal.ts';
import { mayChange } from './issues.ts';
import { page } from './paginate.ts';
import { ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { checkBody } from '../text-limits.ts';
import { reviewCommentView, reviewView } from '../views/review.ts';

const read = { app: 'pull_requests:read' };
const write = { app: 'pull_requests:write' };
const one = '/pulls/{pull_number}/reviews/{review_id}';

export const reviewRoutes: Route[] = [
  repositoryRoute('GET /pulls/{pull_number}/reviews', read, (call) => {
    const { issue, pull } = findPull(call.repository, call.params.pull_number);
    const mine = accountOf(call.actor);
    const visible = pull.reviews.filter((review) => review.state !== 'PENDING' || review.author === mine);
    return page(call, visible, (review) => reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute('POST /pulls/{pull_number}/reviews', write, async (call) => {
    const { issue } = findPull(call.repository, call.params.pull_number);
    const {
      commit_id: commitId,
      body,
      event,
      comments = [],
    } = call.body as ReviewFields & { commit_id?: string; comments?: Record<string, unknown>[] };
    const fields = {
      commitId,
      body,
      event,
      comments: (comments as unknown as Record<string, unknown>[]).map(readNewComment),
    };
    const review = await createReview(call.hub, call.repository, issue, call.account, fields);
    return ok(reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute(`GET ${one}`, read, (call) => {
    const { issue, review } = findReview(call);
    return ok(reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute(`PUT ${one}`, write, (call) => {
    const { issue, review } = findReview(call);
    mayChange(call, review.author);
    review.body = checkBody('PullRequestReview', call.body.body as string);
    emitReview(call.hub, call.repository, issue, review, call.account, 'edited');
    return ok(reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute(`DELETE ${one}`, write, (call) => {
    const { pull, review, issue } = findReview(call);
    if (review.state !== 'PENDING') throw unprocessable('Can not delete a non-pending pull request review');
    const view = reviewView(call.hub, call.repository, issue, review);
    pull.reviews = pull.reviews.filter((candidate) => candidate !== review);
    pull.threads = pull.threads.filter((thread) => thread.comments[0]?.reviewId !== review.id);
    return ok(view);
  }),
  repositoryRoute(`POST ${one}/events`, write, (call) => {
    const { issue, review } = findReview(call);
    if (review.state !== 'PENDING' || review.author !== call.account) throw unprocessable('Could not submit review.');
    if (call.body.body !== undefined) review.body = checkBody('PullRequestReview', call.body.body as string);
    submit(call.hub, call.repository, issue, review, call.body.event as ReviewEvent);
    return ok(reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute(`PUT ${one}/dismissals`, { ...write, person: 'write' }, (call) => {
    const { issue, review } = findReview(call);
    if (!['APPROVED', 'CHANGES_REQUESTED'].includes(review.state))
      throw unprocessable('Can not dismiss a commented pull request review');
    review.state = 'DISMISSED';
    emitReview(call.hub, call.repository, issue, review, call.account, 'dismissed');
    return ok(reviewView(call.hub, call.repository, issue, review));
  }),
  repositoryRoute(`GET ${one}/comments`, read, (call) => {
    const { issue, pull, review } = findReview(call);
    return page(call, commentsOf(pull, review), ({ thread, comment }) =>
      reviewCommentView(call.hub, call.repository, issue, thread, comment),
    );
  }),
];

function findReview(call: RepositoryCall): { issue: Issue; pull: Pull; review: Review } {
  const { issue, pull } = findPull(call.repository, call.params.pull_number);
  const review = pull.reviews.find(({ id }) => id === Number(call.params.review_id));
  if (!review) throw notFound();
  return { issue, pull, review };
}
