import { findPull } from '../changes/find-pull.ts';
import { commentOnLine, editReviewComment, replyTo } from '../changes/line-comments.ts';
import { emitReviewComment, findReviewComment, readNewComment, type FoundComment } from '../changes/review-comments.ts';
import { issuesOf } from '../hub.ts';
import type { Issue } from '../records.ts';
import { notFound } from '../refusal.ts';
import { mayChange } from './issues.ts';
import { page } from './paginate.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { reviewCommentView } from '../views/review.ts';

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
