import { appOf, issuesOf, type Hub } from '../hub.ts';
import type { Account, App, Comment, Issue, Repository } from '../records.ts';
import { notFound } from '../refusal.ts';
import { checkText } from '../text-limits.ts';
import { commentView, issueView } from '../views/issue.ts';
import { issueOf, mayChange } from './issues.ts';
import { page } from './paginate.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

/** Comments on an issue or pull request. */
export function createComment(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  author: Account,
  app: App | null,
  text: unknown,
): Comment {
  const body = checkText('IssueComment', text);
  const now = hub.now();
  const comment: Comment = { id: hub.nextId(), body, author, app, createdAt: now, updatedAt: now, reactions: [] };
  issue.comments.push(comment);
  issue.updatedAt = now;
  emit(hub, repository, issue, comment, author, 'created');
  return comment;
}

export function updateComment(hub: Hub, repository: Repository, id: number, by: Account, text: unknown): Comment {
  const { issue, comment } = findComment(repository, id);
  const from = comment.body;
  comment.body = checkText('IssueComment', text);
  comment.updatedAt = hub.now();
  emit(hub, repository, issue, comment, by, 'edited', { changes: { body: { from } } });
  return comment;
}

export function deleteComment(hub: Hub, repository: Repository, id: number, by: Account): void {
  const { issue, comment } = findComment(repository, id);
  issue.comments = issue.comments.filter((candidate) => candidate !== comment);
  emit(hub, repository, issue, comment, by, 'deleted');
}

export function findComment(
  repository: Repository,
  id: string | number | undefined,
): { issue: Issue; comment: Comment } {
  for (const issue of issuesOf(repository)) {
    const comment = issue.comments.find((candidate) => candidate.id === Number(id));
    if (comment) return { issue, comment };
  }
  throw notFound();
}

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

function emit(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  comment: Comment,
  by: Account,
  action: string,
  extra: object = {},
): void {
  const views = { issue: issueView(hub, repository, issue), comment: commentView(hub, repository, issue, comment) };
  hub.webhooks.emit('issue_comment', repository, by, { action, ...views, ...extra });
}

const since =
  ({ query }: RepositoryCall) =>
  (comment: Comment) =>
    !query.since || comment.updatedAt >= new Date(query.since);

const view = (call: RepositoryCall, issue: Issue, comment: Comment) =>
  commentView(call.hub, call.repository, issue, comment);
