import { emitPull } from './pull-events.ts';
import { emitPush } from './push-event.ts';
import type { Git } from '../git/git.ts';
import { moveLine } from '../git/move-line.ts';
import { isAncestor, readRef } from '../git/refs.ts';
import { issuesOf, type Hub } from '../hub.ts';
import type { Account, Issue, Pull, Repository } from '../records.ts';

export const zeroSha = '0'.repeat(40);

export interface RefUpdate {
  ref: string;
  before: string;
  after: string;
}

/** What GitHub does once a ref has moved, by whichever door: pull refs follow, pulls synchronize, merge or close, the app hears of it. */
export async function afterRefUpdate(hub: Hub, repository: Repository, update: RefUpdate, by: Account): Promise<void> {
  if (update.before === update.after) return;
  repository.pushedAt = repository.updatedAt = hub.now();
  await emitPush(hub, repository, update, by);
  const branch = update.ref.startsWith('refs/heads/') ? update.ref.slice('refs/heads/'.length) : undefined;
  if (branch === undefined) return;

  for (const { base, issue, pull } of openPullsFrom(hub, repository, branch)) {
    if (update.after === zeroSha) await closePull(hub, base, issue, by);
    else await synchronize(hub, base, issue, pull, update, by);
  }
  for (const { issue, pull } of openPullsInto(repository, branch)) {
    if (update.after !== zeroSha && (await isAncestor(hub.git(repository), pull.head.sha, update.after))) {
      await markMerged(hub, repository, issue, pull, update.after, by);
    }
  }
}

/** Records a merge that has reached the base branch. */
export async function markMerged(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  pull: Pull,
  sha: string,
  by: Account,
): Promise<void> {
  pull.merged = { at: hub.now(), by, sha };
  await closePull(hub, repository, issue, by);
}

/** Brings the head's commits into the base repository under `refs/pull/N/head`. */
export async function updatePullRef(
  hub: Hub,
  base: Repository,
  number: number,
  head: { repository: Repository; sha: string },
): Promise<void> {
  const git = hub.git(base);
  const ref = `refs/pull/${number}/head`;
  if (head.repository === base) await git.run(['update-ref', ref, head.sha]);
  else await git.run(['fetch', '--quiet', '--no-tags', head.repository.gitDir, `+${head.sha}:${ref}`]);
}

async function synchronize(
  hub: Hub,
  base: Repository,
  issue: Issue,
  pull: Pull,
  { before, after }: RefUpdate,
  by: Account,
): Promise<void> {
  pull.head.sha = after;
  pull.base.sha = (await readRef(hub.git(base), `refs/heads/${pull.base.ref}`)) ?? pull.base.sha;
  issue.updatedAt = hub.now();
  await updatePullRef(hub, base, issue.number, { repository: pull.head.repository!, sha: after });
  await moveThreads(hub.git(base), pull, before);
  await emitPull(hub, base, issue, by, 'synchronize', { before, after });
}

/** Lets comments follow their lines; one whose lines were changed is outdated. */
async function moveThreads(git: Git, pull: Pull, before: string): Promise<void> {
  for (const thread of pull.threads) {
    if (!thread.current || thread.side === 'LEFT') continue;
    const move = (line: number) => moveLine(git, before, pull.head.sha, thread.path, line);
    const line = await move(thread.current.line);
    const startLine = thread.current.startLine === null ? null : await move(thread.current.startLine);
    thread.current = line === undefined || startLine === undefined ? null : { line, startLine };
  }
}

async function closePull(hub: Hub, repository: Repository, issue: Issue, by: Account): Promise<void> {
  const now = hub.now();
  Object.assign(issue, { state: 'closed', closedAt: now, closedBy: by, updatedAt: now });
  await emitPull(hub, repository, issue, by, 'closed');
}

function openPullsFrom(hub: Hub, head: Repository, branch: string): { base: Repository; issue: Issue; pull: Pull }[] {
  return hub.repositories.flatMap((base) =>
    openPulls(base)
      .filter(({ pull }) => pull.head.repository === head && pull.head.ref === branch)
      .map((found) => ({ base, ...found })),
  );
}

const openPullsInto = (base: Repository, branch: string) =>
  openPulls(base).filter(({ pull }) => pull.base.ref === branch);

function openPulls(repository: Repository): { issue: Issue; pull: Pull }[] {
  return issuesOf(repository).flatMap((issue) =>
    issue.pull && issue.state === 'open' ? [{ issue, pull: issue.pull }] : [],
  );
}
