import { findOrMakeLabel } from './labels.ts';
import { emitIssue, emitSubject } from './issue-events.ts';
import type { Hub } from '../hub.ts';
import type { Account, App, Issue, Repository } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { checkBody } from '../text-limits.ts';
import { accountView } from '../views/account.ts';

export interface IssueFields {
  title: string;
  body?: string | null | undefined;
  labels?: string[] | undefined;
  assignees?: string[] | undefined;
}

/** Opens an issue and tells the app. */
export function createIssue(
  hub: Hub,
  repository: Repository,
  author: Account,
  app: App | null,
  fields: IssueFields,
): Issue {
  const issue = newIssue(hub, repository, author, app, fields);
  repository.issues.set(issue.number, issue);
  emitIssue(hub, repository, issue, author, 'opened');
  return issue;
}

/** The record of an issue or pull request, with the repository's next number; not yet in the repository. */
export function newIssue(
  hub: Hub,
  repository: Repository,
  author: Account,
  app: App | null,
  fields: IssueFields,
): Issue {
  const now = hub.now();
  return {
    id: hub.nextId(),
    number: repository.nextNumber++,
    title: fields.title,
    body: checkBody('Issue', fields.body ?? null),
    author,
    app,
    state: 'open',
    stateReason: null,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    labels: (fields.labels ?? []).map((name) => findOrMakeLabel(hub, repository, name)),
    assignees: (fields.assignees ?? []).map((login) => hub.account(login)),
    comments: [],
    reactions: [],
    pull: null,
  };
}

export interface IssueChanges {
  title?: string;
  body?: string | null;
  state?: 'open' | 'closed';
  stateReason?: Issue['stateReason'];
}

/** Changes an issue or pull request; each kind of change is an event of its own. */
export async function updateIssue(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  changes: IssueChanges,
): Promise<void> {
  const from = { title: issue.title, body: issue.body };
  if (changes.title !== undefined) issue.title = changes.title;
  if (changes.body !== undefined) issue.body = checkBody(issue.pull ? 'PullRequest' : 'Issue', changes.body);
  issue.updatedAt = hub.now();
  const edited = (['title', 'body'] as const).filter((field) => issue[field] !== from[field]);
  if (edited.length > 0) {
    const fields = Object.fromEntries(edited.map((field) => [field, { from: from[field] ?? '' }]));
    await emitSubject(hub, repository, issue, by, 'edited', { changes: fields });
  }
  if (changes.state !== undefined && changes.state !== issue.state) await setState(hub, repository, issue, by, changes);
}

export async function assign(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  logins: string[],
): Promise<void> {
  for (const account of logins.map((login) => hub.account(login))) {
    if (issue.assignees.includes(account)) continue;
    issue.assignees.push(account);
    await emitSubject(hub, repository, issue, by, 'assigned', {
      assignee: accountView(hub, account),
    });
  }
}

export function findIssue(repository: Repository, number: string | number | undefined): Issue {
  const issue = repository.issues.get(Number(number));
  if (!issue) throw notFound();
  return issue;
}

async function setState(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  { state, stateReason }: IssueChanges,
): Promise<void> {
  const closed = state === 'closed';
  if (!closed && issue.pull?.merged) throw invalid({ resource: 'PullRequest', field: 'state', code: 'invalid' });
  Object.assign(issue, { state, closedAt: closed ? hub.now() : null, closedBy: closed ? by : null });
  issue.stateReason = issue.pull ? null : (stateReason ?? (closed ? 'completed' : 'reopened'));
  await emitSubject(hub, repository, issue, by, closed ? 'closed' : 'reopened');
}
