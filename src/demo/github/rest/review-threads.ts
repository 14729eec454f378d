import { type Hub } from '../hub.ts';
import type { Account, Issue, Repository, ReviewComment, Thread } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { checkText } from '../text-limits.ts';
import { reviewCommentView } from '../views/review.ts';
import { issuesOf } from '../hub.ts';
import { findPull } from './find-pull.ts';
import { mayChange } from './issues.ts';
import { page } from './paginate.ts';
import {
  addComment,
  emitReviewComment,
  findReviewComment,
  isCommitOf,
  newThread,
  readNewComment,
  type FoundComment,
  type NewReviewComment,
} from './review-comments.ts';
import { submit } from './reviews.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

/** Comments on one line by itself: GitHub makes a review around it. */
export async function commentOnLine(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  author: Account,
  commitId: string,
  wish: NewReviewComment,
): Promise<FoundComment> {
  const pull = issue.pull!;
  if (!(await isCommitOf(hub, repository, pull, commitId)))
    throw refusal('commit_id', 'commit_id is not part of the pull request');
  const thread = await newThread(hub, repository, pull, commitId, wish);
  if (typeof thread === 'string') throw misplaced(thread);
  pull.threads.push(thread);
  return addAlone(hub, repository, issue, thread, author, wish.body);
}

/** Answers in the thread of a comment. */
export function replyTo(
  hub: Hub,
  repository: Repository,
  commentId: string | number | undefined,
  author: Account,
  body: string,
): FoundComment {
  const { issue, thread } = findReviewComment(repository, commentId);
  return addAlone(hub, repository, issue, thread, author, body);
}

export function editReviewComment(
  hub: Hub,
  repository: Repository,
  id: number,
  by: Account,
  text: unknown,
): FoundComment {
  const found = findReviewComment(repository, id);
  const from = found.comment.body;
  Object.assign(found.comment, { body: checkText('PullRequestReviewComment', text), updatedAt: hub.now() });
  emitReviewComment(hub, repository, found, by, 'edited', { changes: { body: { from } } });
  return found;
}

const read = { app: 'pull_requests:read' };
const write = { app: 'pull_requests:write' };

export const reviewThreadRoutes: Route[] = [
  repositoryRoute('GET /pulls/{pull_number}/comments', read, (call) => {
    const { issue } = findPull(call.repository, call.params.pull_number);
    return page(call, listed(call, [issue]), view(call));
  }),
  repositoryRoute('GET /pulls/comments', read, (call) =>
    page(call, listed(call, issuesOf(call.repository)), view(call)),
  ),
  repositoryRoute('POST /pulls/{pull_number}/comments', write, async (call) => {
    const { issue } = findPull(call.repository, call.params.pull_number);
    const { in_reply_to: inReplyTo, commit_id: commitId } = call.body as { in_reply_to?: number; commit_id: string };
    const wish = readNewComment(call.body);
    const found = inReplyTo
      ? replyTo(call.hub, call.repository, inReplyTo, call.account, wish.body)
      : await commentOnLine(call.hub, call.repository, issue, call.account, commitId, wish);
    return created(view(call)(found));
  }),
  repositoryRoute('POST /pulls/{pull_number}/comments/{comment_id}/replies', write, (call) => {
    const { issue } = findReviewComment(call.repository, call.params.comment_id);
    if (String(issue.number) !== call.params.pull_number) throw notFound();
    return created(
      view(call)(replyTo(call.hub, call.repository, call.params.comment_id, call.account, call.body.body as string)),
    );
  }),
  repositoryRoute('GET /pulls/comments/{comment_id}', read, (call) =>
    ok(view(call)(findReviewComment(call.repository, call.params.comment_id))),
  ),
  repositoryRoute('PATCH /pulls/comments/{comment_id}', write, (call) => {
    const found = findReviewComment(call.repository, call.params.comment_id);
    mayChange(call, found.comment.author);
    return ok(view(call)(editReviewComment(call.hub, call.repository, found.comment.id, call.account, call.body.body)));
  }),
  repositoryRoute('DELETE /pulls/comments/{comment_id}', write, (call) => {
    const found = findReviewComment(call.repository, call.params.comment_id);
    mayChange(call, found.comment.author);
    found.thread.comments = found.thread.comments.filter((candidate) => candidate !== found.comment);
    found.pull.threads = found.pull.threads.filter((thread) => thread.comments.length > 0);
    emitReviewComment(call.hub, call.repository, found, call.account, 'deleted');
    return noContent();
  }),
];

function addAlone(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  thread: Thread,
  author: Account,
  body: string,
): FoundComment {
  const pull = issue.pull!;
  const text = checkText('PullRequestReviewComment', body);
  const review = {
    id: hub.nextId(),
    author,
    body: '',
    state: 'PENDING' as const,
    commitId: pull.head.sha,
    submittedAt: null,
  };
  pull.reviews.push(review);
  const comment: ReviewComment = addComment(hub, thread, review, text);
  submit(hub, repository, issue, review, 'COMMENT');
  return { issue, pull, thread, comment };
}

function misplaced(fault: string) {
  const reasons: Record<string, [string, string]> = {
    path: ['path', 'could not be resolved'],
    line: ['line', 'must be part of the diff'],
    start_line: ['start_line', 'must be part of the diff'],
    other_hunk: ['start_line', 'must be part of the same hunk as the line.'],
    order: ['start_line', 'must precede the end line.'],
  };
  const [field, why] = reasons[fault]!;
  return refusal(`pull_request_review_thread.${field}`, `pull_request_review_thread.${field} ${why}`);
}

const refusal = (field: string, message: string) =>
  invalid({ resource: 'PullRequestReviewComment', code: 'custom', field, message });

function listed({ query }: RepositoryCall, issues: Issue[]): FoundComment[] {
  const direction = query.direction === 'desc' ? -1 : 1;
  const key = query.sort === 'updated' ? 'updatedAt' : 'createdAt';
  return issues
    .flatMap((issue) =>
      (issue.pull?.threads ?? []).flatMap((thread) =>
        thread.comments.map((comment) => ({ issue, pull: issue.pull!, thread, comment })),
      ),
    )
    .filter(({ pull, comment }) => pull.reviews.find(({ id }) => id === comment.reviewId)?.state !== 'PENDING')
    .filter(({ comment }) => !query.since || comment.updatedAt >= new Date(query.since))
    .sort((a, b) => direction * (a.comment[key].getTime() - b.comment[key].getTime() || a.comment.id - b.comment.id));
}

const view =
  (call: RepositoryCall) =>
  ({ issue, thread, comment }: FoundComment) =>
    reviewCommentView(call.hub, call.repository, issue, thread, comment);
