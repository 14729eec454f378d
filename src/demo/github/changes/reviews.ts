import { addComment, emitReviewComment, isCommitOf, newThread, type NewReviewComment } from './review-comments.ts';
import type { Hub } from '../hub.ts';
import type { Account, Issue, Pull, Repository, Review, Thread } from '../records.ts';
import { unprocessable } from '../refusal.ts';
import { checkBody } from '../text-limits.ts';
import { pullSimpleView } from '../views/pull.ts';
import { reviewView } from '../views/review.ts';

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
  return {
    id: hub.nextId(),
    author,
    body: fields.body ?? '',
    state: 'PENDING',
    commitId,
    submittedAt: null,
    reactions: [],
  };
}

export function commentsOf(pull: Pull, review: Review) {
  return pull.threads.flatMap((thread) =>
    thread.comments.filter(({ reviewId }) => reviewId === review.id).map((comment) => ({ thread, comment })),
  );
}

export function emitReview(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  review: Review,
  by: Account,
  action: string,
): void {
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
