import { accountOf, type Hub } from '../hub.ts';
import type { Account, Issue, Pull, Repository, Review, Thread } from '../records.ts';
import { notFound, unprocessable } from '../refusal.ts';
import { checkBody } from '../text-limits.ts';
import { pullSimpleView } from '../views/pull.ts';
import { reviewCommentView, reviewView } from '../views/review.ts';
import { findPull } from './find-pull.ts';
import { mayChange } from './issues.ts';
import { page } from './paginate.ts';
import {
  addComment,
  emitReviewComment,
  isCommitOf,
  newThread,
  readNewComment,
  type NewReviewComment,
} from './review-comments.ts';
import { ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

export type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

export interface ReviewFields {
  commitId?: string | undefined;
  body?: string | undefined;
  /** None leaves the review pending: seen by its author alone. */
  event?: ReviewEvent | undefined;
  comments?: NewReviewComment[];
}

const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

/** Makes a review whole or not at all: one comment without a place refuses it. */
export async function createReview(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  author: Account,
  fields: ReviewFields,
): Promise<Review> {
  const pull = issue.pull!;
  const commitId = fields.commitId ?? pull.head.sha;
  await checkReview(hub, repository, issue, author, { ...fields, commitId });
  const places = await Promise.all(
    (fields.comments ?? []).map((wish) => newThread(hub, repository, pull, commitId, wish)),
  );
  const faults = places.filter((place) => typeof place === 'string').map((fault) => messages[fault]);
  if (faults.length > 0) throw unprocessable('Unprocessable Entity', faults);

  const review = newReview(hub, author, fields, commitId);
  pull.reviews.push(review);
  for (const [at, thread] of (places as Thread[]).entries()) {
    pull.threads.push(thread);
    addComment(hub, thread, review, fields.comments![at]!.body);
  }
  if (fields.event) submit(hub, repository, issue, review, fields.event);
  return review;
}

/** Makes a review visible and tells the app of it and of its comments. */
export function submit(hub: Hub, repository: Repository, issue: Issue, review: Review, event: ReviewEvent): void {
  review.state = states[event];
  review.submittedAt = hub.now();
  issue.pull!.requestedReviewers = issue.pull!.requestedReviewers.filter((reviewer) => reviewer !== review.author);
  emitReview(hub, repository, issue, review, review.author, 'submitted');
  for (const { thread, comment } of commentsOf(issue.pull!, review)) {
    emitReviewComment(hub, repository, { issue, pull: issue.pull!, thread, comment }, review.author, 'created');
  }
}

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

const messages = {
  path: 'Path could not be resolved',
  line: 'Line could not be resolved',
  start_line: 'Start line could not be resolved',
  other_hunk: 'Start line must be part of the same hunk as the line.',
  order: 'Start line must precede the end line.',
} as const;

async function checkReview(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  author: Account,
  fields: ReviewFields & { commitId: string },
): Promise<void> {
  const { event, body = '', comments = [], commitId } = fields;
  const own = author === issue.author;
  if (own && event === 'APPROVE')
    throw unprocessable('Unprocessable Entity', ['Can not approve your own pull request']);
  if (own && event === 'REQUEST_CHANGES')
    throw unprocessable('Unprocessable Entity', ['Can not request changes on your own pull request']);
  if (event && event !== 'APPROVE' && body === '' && comments.length === 0)
    throw unprocessable('Unprocessable Entity', ['Body cannot be blank']);
  checkBody('PullRequestReview', body);
  const pending = issue.pull!.reviews.some((review) => review.state === 'PENDING' && review.author === author);
  if (pending) throw unprocessable('Unprocessable Entity', ['User can only have one pending review per pull request']);
  if (!(await isCommitOf(hub, repository, issue.pull!, commitId))) {
    throw unprocessable('Unprocessable Entity', ['The commit_id is not part of the pull request']);
  }
}

function newReview(hub: Hub, author: Account, fields: ReviewFields, commitId: string): Review {
  return { id: hub.nextId(), author, body: fields.body ?? '', state: 'PENDING', commitId, submittedAt: null };
}

function commentsOf(pull: Pull, review: Review) {
  return pull.threads.flatMap((thread) =>
    thread.comments.filter(({ reviewId }) => reviewId === review.id).map((comment) => ({ thread, comment })),
  );
}

function emitReview(hub: Hub, repository: Repository, issue: Issue, review: Review, by: Account, action: string): void {
  const view = {
    ...reviewView(hub, repository, issue, review),
    state: review.state.toLowerCase(),
    body: review.body || null,
  };
  hub.webhooks.emit('pull_request_review', repository, by, {
    action,
    review: view,
    pull_request: pullSimpleView(hub, repository, issue, issue.pull!),
  });
}

function findReview(call: RepositoryCall): { issue: Issue; pull: Pull; review: Review } {
  const { issue, pull } = findPull(call.repository, call.params.pull_number);
  const review = pull.reviews.find(({ id }) => id === Number(call.params.review_id));
  if (!review) throw notFound();
  return { issue, pull, review };
}
