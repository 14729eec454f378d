import { isAncestor, readRef } from '../git/refs.ts';
import { appOf, issuesOf, type Hub } from '../hub.ts';
import { emitPull } from '../pull-events.ts';
import type { Account, App, Issue, Pull, Repository } from '../records.ts';
import { invalid } from '../refusal.ts';
import { updatePullRef } from '../ref-updates.ts';
import { pullSimpleView, pullView } from '../views/pull.ts';
import { findPull } from './find-pull.ts';
import { mayChange, newIssue, updateIssue } from './issues.ts';
import { page } from './paginate.ts';
import { pullDiff } from './pull-diff.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';

export interface PullFields {
  title: string;
  body?: string | null | undefined;
  /** A branch, or `owner:branch` of a fork. */
  head: string;
  base: string;
  draft?: boolean | undefined;
  maintainerCanModify?: boolean | undefined;
}

/** Opens a pull request, or says why GitHub would not. */
export async function createPull(
  hub: Hub,
  base: Repository,
  author: Account,
  app: App | null,
  fields: PullFields,
): Promise<Issue> {
  const { repository: headRepository, ref } = findHead(hub, base, fields.head);
  const headSha = await readRef(hub.git(headRepository), `refs/heads/${ref}`);
  const baseSha = await readRef(hub.git(base), `refs/heads/${fields.base}`);
  if (!headSha) throw invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (!baseSha) throw invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  refuseSecond(base, headRepository, ref, fields.base);
  if (await isAncestor(hub.git(headRepository), headSha, baseSha))
    throw refusal(`No commits between ${fields.base} and ${fields.head}`);

  const issue = newIssue(hub, base, author, app, fields);
  issue.pull = newPull(hub, issue, fields, { repository: headRepository, ref, sha: headSha }, baseSha);
  await updatePullRef(hub, base, issue.number, { repository: headRepository, sha: headSha });
  base.issues.set(issue.number, issue);
  await emitPull(hub, base, issue, author, 'opened');
  return issue;
}

export async function requestReview(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  logins: string[],
): Promise<void> {
  for (const reviewer of logins.map((login) => hub.account(login))) {
    if (reviewer === issue.author) throw refusal('Review cannot be requested from pull request author.');
    if (issue.pull!.requestedReviewers.includes(reviewer)) continue;
    issue.pull!.requestedReviewers.push(reviewer);
    const { login, id, type } = reviewer;
    await emitPull(hub, repository, issue, by, 'review_requested', { requested_reviewer: { login, id, type } });
  }
}

/** Takes a pull request out of draft, or back into it. */
export async function setDraft(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  draft: boolean,
): Promise<void> {
  if (issue.pull!.draft === draft) return;
  issue.pull!.draft = draft;
  await emitPull(hub, repository, issue, by, draft ? 'converted_to_draft' : 'ready_for_review');
}

const read = { app: 'pull_requests:read' };
const write = { app: 'pull_requests:write' };

export const pullRoutes: Route[] = [
  repositoryRoute('GET /pulls', read, (call) =>
    page(call, filtered(call), (issue) => pullSimpleView(call.hub, call.repository, issue, issue.pull!)),
  ),
  repositoryRoute('POST /pulls', write, async (call) => {
    const {
      title,
      body,
      head,
      base,
      draft,
      maintainer_can_modify: maintainerCanModify,
    } = call.body as unknown as PullFields & Record<string, never>;
    const issue = await createPull(call.hub, call.repository, call.account, appOf(call.actor), {
      title,
      body,
      head,
      base,
      draft,
      maintainerCanModify,
    });
    return created(await full(call, issue));
  }),
  repositoryRoute('GET /pulls/{pull_number}', read, async (call) => {
    const { issue, pull } = findPull(call.repository, call.params.pull_number);
    return (await pullDiff(call, pull)) ?? ok(await full(call, issue));
  }),
  repositoryRoute('PATCH /pulls/{pull_number}', write, async (call) => {
    const { issue, pull } = findPull(call.repository, call.params.pull_number);
    mayChange(call, issue.author);
    const { title, body, state, base } = call.body as {
      title?: string;
      body?: string;
      state?: 'open' | 'closed';
      base?: string;
    };
    if (base !== undefined) await changeBase(call, issue, pull, base);
    await updateIssue(call.hub, call.repository, issue, call.account, {
      ...(title !== undefined && { title }),
      ...(body !== undefined && { body }),
      ...(state && { state }),
    });
    return ok(await full(call, issue));
  }),
  repositoryRoute('POST /pulls/{pull_number}/requested_reviewers', write, async (call) => {
    const { issue, pull } = findPull(call.repository, call.params.pull_number);
    await requestReview(
      call.hub,
      call.repository,
      issue,
      call.account,
      (call.body.reviewers as string[] | undefined) ?? [],
    );
    return created(pullSimpleView(call.hub, call.repository, issue, pull));
  }),
];

const full = (call: RepositoryCall, issue: Issue) => pullView(call.hub, call.repository, issue, issue.pull!);

function findHead(hub: Hub, base: Repository, head: string): { repository: Repository; ref: string } {
  const [first = '', ...rest] = head.split(':');
  if (rest.length === 0) return { repository: base, ref: first };
  const family = (candidate: Repository) =>
    candidate === base || candidate.parent === base || base.parent === candidate;
  const repository = hub.repositories.find(
    (candidate) => family(candidate) && candidate.owner.login.toLowerCase() === first.toLowerCase(),
  );
  if (!repository) throw invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  return { repository, ref: rest.join(':') };
}

function refuseSecond(base: Repository, head: Repository, ref: string, baseRef: string): void {
  const same = ({ state, pull }: Issue) =>
    state === 'open' && pull?.head.repository === head && pull.head.ref === ref && pull.base.ref === baseRef;
  if (issuesOf(base).some(same)) throw refusal(`A pull request already exists for ${head.owner.login}:${ref}.`);
}

const refusal = (message: string) => invalid({ resource: 'PullRequest', code: 'custom', message });

function newPull(hub: Hub, issue: Issue, fields: PullFields, head: Pull['head'], baseSha: string): Pull {
  return {
    ...{ id: issue.id, head, base: { ref: fields.base, sha: baseSha }, draft: fields.draft ?? false, merged: null },
    ...{ maintainerCanModify: fields.maintainerCanModify ?? false, requestedReviewers: [], reviews: [], threads: [] },
  };
}

async function changeBase(
  { hub, repository, account }: RepositoryCall,
  issue: Issue,
  pull: Pull,
  base: string,
): Promise<void> {
  const sha = await readRef(hub.git(repository), `refs/heads/${base}`);
  if (!sha) throw invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  const from = pull.base;
  pull.base = { ref: base, sha };
  await emitPull(hub, repository, issue, account, 'edited', {
    changes: { base: { ref: { from: from.ref }, sha: { from: from.sha } } },
  });
}

function filtered({ repository, query }: RepositoryCall): Issue[] {
  const state = query.state ?? 'open';
  const direction = (query.direction ?? (query.sort ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  const key = query.sort === 'updated' ? 'updatedAt' : 'createdAt';
  return issuesOf(repository)
    .filter((issue) => issue.pull && (state === 'all' || issue.state === state))
    .filter((issue) => !query.head || headLabel(issue.pull!, repository) === query.head)
    .filter((issue) => !query.base || issue.pull!.base.ref === query.base)
    .sort((a, b) => direction * (a[key].getTime() - b[key].getTime() || a.number - b.number));
}

const headLabel = ({ head }: Pull, repository: Repository) =>
  `${(head.repository ?? repository).owner.login}:${head.ref}`;
