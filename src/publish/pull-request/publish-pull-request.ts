import type { GitHub } from '../../github/client.ts';
import { publishCommit } from '../../github/publish-commit.ts';
import type { RepoRef } from '../../github/repository.ts';
import type { StagedTree } from '../../github/tree/stage-changes.ts';
import { statusOf } from '../../github/request-hook.ts';
import { sessionMarker } from '../markers.ts';
import { renewText } from './own-parts.ts';
import type { PullRequestPlan } from './plan-pull-request.ts';

export interface OwnPull {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly headSha: string;
  readonly title: string;
  readonly draft: boolean;
  /** In ms; undefined while it is open. */
  readonly closedAt?: number | undefined;
}

export interface PublishTarget {
  readonly branch: string;
  /** Our open pull request of this session: its branch gets one more commit. */
  readonly own: OwnPull | undefined;
  /** `branch` is there and ours, although it has no pull request yet. */
  readonly isUnfinished?: boolean;
  readonly base: string;
  readonly session: string;
}

export interface PublishedPull {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly commitSha: string;
  readonly title: string;
}

/** Writes one commit and its pull request. Run again after any failure it finds what it did (U6). */
export async function publishPullRequest(
  github: GitHub,
  repo: RepoRef,
  { plan, staged, target }: { plan: PullRequestPlan; staged: StagedTree; target: PublishTarget },
  signal: AbortSignal,
): Promise<PublishedPull> {
  const { own, isUnfinished = false } = target;
  const isOwn = own !== undefined || isUnfinished;
  const draft = { staged, message: plan.commitMessage, branch: own?.branch ?? target.branch, isOwn };
  const commit = await publishCommit(github, repo, draft, signal);
  const title = own ? await renewPull(github, repo, own, plan, signal) : plan.title;
  const pull = own ?? (await findPullOfBranch(github, repo, commit.branch, signal));
  const made = pull ?? (await createPull(github, repo, plan, { head: commit.branch, base: target.base }, signal));
  return { number: made.number, url: made.url, branch: commit.branch, commitSha: commit.sha, title };
}

/** Tells of the new commit in what is ours of the text; answers the title. A text that GitHub does not take leaves the commit as it is. */
async function renewPull(
  github: GitHub,
  repo: RepoRef,
  { number }: OwnPull,
  plan: PullRequestPlan,
  signal: AbortSignal,
): Promise<string> {
  const pull = { ...repo, pull_number: number, request: { signal } };
  const { data } = await github.rest.pulls.get(pull);
  const { title, body, draft = false } = data;
  const renewed = renewText({ title, body: body ?? '', draft }, plan);
  if (renewed.title === title && renewed.body === (body ?? '')) return title;
  try {
    await github.rest.pulls.update({ ...pull, ...renewed });
    return renewed.title;
  } catch (error) {
    if (statusOf(error) !== 422 && statusOf(error) !== 403) throw error;
    return title;
  }
}

interface WantedPull {
  readonly session: string;
  readonly prefix: string;
  /** What the branches of the session's subject begin with, up to the title's slug; undefined where it has none. */
  readonly stem: string | undefined;
  readonly ownLogin: string;
  readonly state?: 'open' | 'closed';
}

/**
 * The open pull request that an earlier turn of this session made; the marker counts only where it is ours, and on a branch
 * of ours. Where somebody wrote the text anew and no marker is left, the branch tells whose it is. Of the closed ones that were not merged, the last that was closed, among the hundred that were changed last.
 */
export async function findOwnPull(
  github: GitHub,
  repo: RepoRef,
  { session, prefix, stem, ownLogin, state = 'open' }: WantedPull,
  signal: AbortSignal,
): Promise<OwnPull | undefined> {
  const pages = { ...repo, per_page: 100, request: { signal } };
  const pulls =
    state === 'open'
      ? await github.paginate(github.rest.pulls.list, { ...pages, state })
      : (await github.rest.pulls.list({ ...pages, state, sort: 'updated', direction: 'desc' })).data;
  const ours = pulls.filter(
    (pull) =>
      pull.user?.login === ownLogin &&
      pull.head.ref.startsWith(prefix) &&
      isOfSession(pull.body ?? '', pull.head.ref, { session, stem }) &&
      pull.head.repo?.id === pull.base.repo.id &&
      !pull.merged_at,
  );
  const isMarked = ({ body }: (typeof ours)[number]) => Number(isBearing(body ?? ''));
  const [found] = ours.sort((a, b) => isMarked(b) - isMarked(a) || closedAt(b) - closedAt(a));
  if (!found) return undefined;
  const { number, html_url: url, head, title, draft = false } = found;
  const closed = found.closed_at ? { closedAt: closedAt(found) } : {};
  return { number, url, branch: head.ref, headSha: head.sha, title, draft, ...closed };
}

function isOfSession(body: string, branch: string, { session, stem }: Pick<WantedPull, 'session' | 'stem'>): boolean {
  if (isBearing(body)) return body.includes(sessionMarker(session));
  return stem !== undefined && (branch === stem || branch.startsWith(`${stem}-`));
}

function isBearing(body: string): boolean {
  return body.includes('<!-- dsh:session ');
}

function closedAt({ closed_at }: { closed_at: string | null }): number {
  return closed_at ? Date.parse(closed_at) : 0;
}

async function findPullOfBranch(github: GitHub, repo: RepoRef, branch: string, signal: AbortSignal) {
  const { data } = await github.rest.pulls.list({
    ...repo,
    state: 'open',
    head: `${repo.owner}:${branch}`,
    request: { signal },
  });
  const pull = data[0];
  return pull && { number: pull.number, url: pull.html_url };
}

/** A create of unknown outcome may have worked: it is looked for before the error counts. */
async function createPull(
  github: GitHub,
  repo: RepoRef,
  plan: PullRequestPlan,
  { head, base }: { head: string; base: string },
  signal: AbortSignal,
): Promise<{ number: number; url: string }> {
  const { title, body, draft } = plan;
  try {
    const { data } = await github.rest.pulls.create({ ...repo, title, body, head, base, draft, request: { signal } });
    return { number: data.number, url: data.html_url };
  } catch (error) {
    const made = await findPullOfBranch(github, repo, head, signal);
    if (made) return made;
    if (draft && isDraftRefused(error))
      return await createPull(github, repo, { ...plan, draft: false }, { head, base }, signal);
    throw error;
  }
}

/** Private repositories on free plans have no drafts. */
function isDraftRefused(error: unknown): boolean {
  return /draft pull requests are not supported/i.test(String((error as Error).message));
}
