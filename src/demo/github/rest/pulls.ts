import { findPull } from '../changes/find-pull.ts';
import { updateIssue } from '../changes/issues.ts';
import { emitPull } from '../changes/pull-events.ts';
import { createPull, requestReview, type PullFields } from '../changes/pulls.ts';
import { readRef } from '../git/refs.ts';
import { appOf, issuesOf } from '../hub.ts';
import type { Issue, Pull, Repository } from '../records.ts';
import { invalid } from '../refusal.ts';
import { mayChange } from './issues.ts';
import { page } from './paginate.ts';
import { pullDiff } from './pull-diff.ts';
import { created, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { pullSimpleView, pullView } from '../views/pull.ts';

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
