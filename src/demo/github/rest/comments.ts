import { createComment, deleteComment, findComment, updateComment } from '../changes/comments.ts';
import { appOf, issuesOf } from '../hub.ts';
import type { Comment, Issue } from '../records.ts';
import { issueOf, mayChange } from './issues.ts';
import { page } from './paginate.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { commentView } from '../views/issue.ts';

const read = { app: 'issues|pull_requests:read' };
const write = { app: 'issues|pull_requests:write' };

export const commentRoutes: Route[] = [
  repositoryRoute('GET /issues/{issue_number}/comments', read, (call) => {
    const issue = issueOf(call);
    return page(call, issue.comments.filter(since(call)), (comment) => view(call, issue, comment));
  }),
  repositoryRoute('POST /issues/{issue_number}/comments', write, (call) => {
    const issue = issueOf(call);
    return created(
      view(
        call,
        issue,
        createComment(call.hub, call.repository, issue, call.account, appOf(call.actor), call.body.body),
      ),
    );
  }),
  repositoryRoute('GET /issues/comments', read, (call) => {
    const all = issuesOf(call.repository).flatMap((issue) => issue.comments.map((comment) => ({ issue, comment })));
    const key = call.query.sort === 'updated' ? 'updatedAt' : 'createdAt';
    const direction = call.query.direction === 'desc' ? -1 : 1;
    const wanted = all
      .filter(({ comment }) => since(call)(comment))
      .sort((a, b) => direction * (a.comment[key].getTime() - b.comment[key].getTime() || a.comment.id - b.comment.id));
    return page(call, wanted, ({ issue, comment }) => view(call, issue, comment));
  }),
  repositoryRoute('GET /issues/comments/{comment_id}', read, (call) => {
    const { issue, comment } = findComment(call.repository, call.params.comment_id);
    return ok(view(call, issue, comment));
  }),
  repositoryRoute('PATCH /issues/comments/{comment_id}', write, (call) => {
    const { issue, comment } = findComment(call.repository, call.params.comment_id);
    mayChange(call, comment.author);
    updateComment(call.hub, call.repository, comment.id, call.account, call.body.body);
    return ok(view(call, issue, comment));
  }),
  repositoryRoute('DELETE /issues/comments/{comment_id}', write, (call) => {
    const { comment } = findComment(call.repository, call.params.comment_id);
    mayChange(call, comment.author);
    deleteComment(call.hub, call.repository, comment.id, call.account);
    return noContent();
  }),
];

const since =
  ({ query }: RepositoryCall) =>
  (comment: Comment) =>
    !query.since || comment.updatedAt >= new Date(query.since);

const view = (call: RepositoryCall, issue: Issue, comment: Comment) =>
  commentView(call.hub, call.repository, issue, comment);
