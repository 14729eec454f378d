import { newIssue } from './issues.ts';
import { emitPull } from './pull-events.ts';
import { updatePullRef } from './ref-updates.ts';
import { isAncestor, readRef } from '../git/refs.ts';
import { issuesOf, type Hub } from '../hub.ts';
import type { Account, App, Issue, Pull, Repository } from '../records.ts';
import { invalid } from '../refusal.ts';
import { accountView } from '../views/account.ts';

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
    await emitPull(hub, repository, issue, by, 'review_requested', { requested_reviewer: accountView(hub, reviewer) });
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
    id: issue.id,
    head,
    base: { ref: fields.base, sha: baseSha },
    draft: fields.draft ?? false,
    merged: null,
    maintainerCanModify: fields.maintainerCanModify ?? false,
    requestedReviewers: [],
    reviews: [],
    threads: [],
  };
}
