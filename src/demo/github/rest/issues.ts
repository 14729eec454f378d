import { hasRole, mayPush } from '../access.ts';
import { appOf, issuesOf, type Hub } from '../hub.ts';
import type { Account, Actor, App, Issue, Label, Repository } from '../records.ts';
import { invalid, notFound, Refusal } from '../refusal.ts';
import { checkBody } from '../text-limits.ts';
import { issueView, labelView } from '../views/issue.ts';
import { emitPull } from '../pull-events.ts';
import { page } from './paginate.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

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
    ...{
      id: hub.nextId(),
      number: repository.nextNumber++,
      title: fields.title,
      body: checkBody('Issue', fields.body ?? null),
    },
    ...{
      author,
      app,
      state: 'open',
      stateReason: null,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      closedBy: null,
    },
    labels: (fields.labels ?? []).map((name) => findOrMakeLabel(hub, repository, name)),
    assignees: (fields.assignees ?? []).map((login) => hub.account(login)),
    ...{ comments: [], reactions: [], pull: null },
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

/** Puts labels on; each new one is an event. */
export async function addLabels(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  names: string[],
): Promise<void> {
  for (const label of names.map((name) => findOrMakeLabel(hub, repository, name))) {
    if (issue.labels.includes(label)) continue;
    issue.labels.push(label);
    issue.updatedAt = hub.now();
    await emitSubject(hub, repository, issue, by, 'labeled', { label: labelView(hub, repository, label) });
  }
}

export async function removeLabel(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  name: string,
): Promise<void> {
  const label = issue.labels.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!label) throw new Refusal(404, 'Label does not exist');
  issue.labels = issue.labels.filter((candidate) => candidate !== label);
  await emitSubject(hub, repository, issue, by, 'unlabeled', { label: labelView(hub, repository, label) });
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
      assignee: { login: account.login, id: account.id, type: account.type },
    });
  }
}

export function findIssue(repository: Repository, number: string | number | undefined): Issue {
  const issue = repository.issues.get(Number(number));
  if (!issue) throw notFound();
  return issue;
}

const read = { app: 'issues|pull_requests:read' };
const write = { app: 'issues|pull_requests:write' };

export const issueRoutes: Route[] = [
  repositoryRoute('GET /issues', read, (call) => page(call, filtered(call), view(call))),
  repositoryRoute('POST /issues', { app: 'issues:write' }, (call) => {
    const { title, body, labels, assignees } = call.body as unknown as Omit<IssueFields, 'labels'> & {
      labels?: (string | { name: string })[];
    };
    if (String(title).trim() === '') throw invalid({ resource: 'Issue', field: 'title', code: 'missing_field' });
    const allowed = mayTriage(call) ? { labels: labels?.map(labelName), assignees } : {};
    const issue = createIssue(call.hub, call.repository, call.account, appOf(call.actor), {
      title: String(title),
      body,
      ...allowed,
    });
    return created(view(call)(issue));
  }),
  repositoryRoute('GET /issues/{issue_number}', read, (call) => ok(view(call)(issueOf(call)))),
  repositoryRoute('PATCH /issues/{issue_number}', write, async (call) => {
    const issue = issueOf(call);
    mayChange(call, issue.author);
    const { title, body, state, state_reason: stateReason, labels, assignees } = call.body;
    await updateIssue(call.hub, call.repository, issue, call.account, asChanges({ title, body, state, stateReason }));
    if (Array.isArray(labels)) await replaceLabels(call, issue, labels.map(labelName));
    if (Array.isArray(assignees)) await assign(call.hub, call.repository, issue, call.account, assignees as string[]);
    return ok(view(call)(issue));
  }),
  repositoryRoute('GET /issues/{issue_number}/labels', read, (call) => page(call, issueOf(call).labels, label(call))),
  repositoryRoute('POST /issues/{issue_number}/labels', { ...write, person: 'triage' }, async (call) => {
    const issue = issueOf(call);
    await addLabels(call.hub, call.repository, issue, call.account, labelNames(call.body));
    return ok(issue.labels.map(label(call)));
  }),
  repositoryRoute('DELETE /issues/{issue_number}/labels/{name}', { ...write, person: 'triage' }, async (call) => {
    const issue = issueOf(call);
    await removeLabel(call.hub, call.repository, issue, call.account, call.params.name!);
    return ok(issue.labels.map(label(call)));
  }),
  repositoryRoute('POST /issues/{issue_number}/assignees', { ...write, person: 'triage' }, async (call) => {
    const issue = issueOf(call);
    await assign(call.hub, call.repository, issue, call.account, (call.body.assignees as string[] | undefined) ?? []);
    return created(view(call)(issue));
  }),
  repositoryRoute('GET /labels', read, (call) => page(call, call.repository.labels, label(call))),
  repositoryRoute('POST /labels', { ...write, person: 'write' }, (call) => {
    const { name, color, description } = call.body as { name: string; color?: string; description?: string };
    if (call.repository.labels.some((known) => known.name.toLowerCase() === name.toLowerCase())) {
      throw invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
    }
    const made = findOrMakeLabel(call.hub, call.repository, name);
    Object.assign(made, { color: color ?? made.color, description: description ?? null });
    return created(label(call)(made));
  }),
  repositoryRoute('GET /labels/{name}', read, (call) => {
    const known = call.repository.labels.find(
      (candidate) => candidate.name.toLowerCase() === call.params.name!.toLowerCase(),
    );
    if (!known) throw notFound();
    return ok(label(call)(known));
  }),
];

export const issueOf = (call: RepositoryCall): Issue => findIssue(call.repository, call.params.issue_number);

/** Authors change their own; others need to push, and an app its permission, which was checked. */
export function mayChange(call: RepositoryCall, author: Account): void {
  if (call.actor.kind === 'app' || author === call.account || mayPush(call.repository, call.account)) return;
  throw new Refusal(403, 'Must have admin rights to Repository.');
}

/** An event of the issue, or of the pull request it is. */
export async function emitSubject(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  action: string,
  extra: object = {},
): Promise<void> {
  if (issue.pull) await emitPull(hub, repository, issue, by, action, extra);
  else emitIssue(hub, repository, issue, by, action, extra);
}

function emitIssue(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  action: string,
  extra: object = {},
): void {
  hub.webhooks.emit('issues', repository, by, { action, issue: issueView(hub, repository, issue), ...extra });
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

async function replaceLabels(call: RepositoryCall, issue: Issue, names: string[]): Promise<void> {
  const { hub, repository, account } = call;
  for (const { name } of issue.labels.filter((old) => !names.includes(old.name)))
    await removeLabel(hub, repository, issue, account, name);
  await addLabels(hub, repository, issue, account, names);
}

function findOrMakeLabel(hub: Hub, repository: Repository, name: string): Label {
  const known = repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
  if (known) return known;
  const label: Label = { id: hub.nextId(), name, color: 'ededed', description: null };
  repository.labels.push(label);
  return label;
}

function filtered({ repository, query }: RepositoryCall): Issue[] {
  const state = query.state ?? 'open';
  const labels = (query.labels ?? '').split(',').filter(Boolean);
  const direction = query.direction === 'asc' ? 1 : -1;
  const key = query.sort === 'updated' ? 'updatedAt' : 'createdAt';
  return issuesOf(repository)
    .filter((issue) => state === 'all' || issue.state === state)
    .filter((issue) => labels.every((name) => issue.labels.some((label) => label.name === name)))
    .filter((issue) => !query.creator || issue.author.login === query.creator)
    .filter((issue) => !query.since || issue.updatedAt >= new Date(query.since))
    .sort((a, b) => direction * (a[key].getTime() - b[key].getTime() || a.number - b.number));
}

const view = (call: RepositoryCall) => (issue: Issue) => issueView(call.hub, call.repository, issue);
const label = (call: RepositoryCall) => (item: Label) => labelView(call.hub, call.repository, item);
const labelName = (given: unknown) => (typeof given === 'string' ? given : (given as { name: string }).name);

function labelNames(body: unknown): string[] {
  const labels = Array.isArray(body) ? body : ((body as { labels?: unknown[] }).labels ?? []);
  return labels.map(labelName);
}

const mayTriage = ({ actor, repository, account }: RepositoryCall) =>
  isApp(actor) || hasRole(repository, account, 'triage');
const isApp = (actor: Actor) => actor.kind === 'app';

function asChanges(fields: Record<string, unknown>): IssueChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
