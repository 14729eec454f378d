import { hasRole, mayPush } from '../access.ts';
import { assign, createIssue, findIssue, updateIssue, type IssueChanges, type IssueFields } from '../changes/issues.ts';
import { addLabels, findOrMakeLabel, removeLabel, replaceLabels } from '../changes/labels.ts';
import { appOf, issuesOf } from '../hub.ts';
import type { Account, Actor, Issue, Label } from '../records.ts';
import { invalid, notFound, Refusal } from '../refusal.ts';
import { page } from './paginate.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { issueView, labelView } from '../views/issue.ts';

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
    if (Array.isArray(labels))
      await replaceLabels(call.hub, call.repository, issue, call.account, labels.map(labelName));
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
