import { issuesOf, type Hub } from '../hub.ts';
import type { Account, App, Comment, Issue, Repository } from '../records.ts';
import { notFound } from '../refusal.ts';
import { checkText } from '../text-limits.ts';
import { commentView, issueView } from '../views/issue.ts';

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
  const times = { createdAt: now, updatedAt: now };
  const comment: Comment = { id: hub.nextId(), body, author, app, ...times, editors: [], reactions: [] };
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
  comment.editors.push(by);
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
