import type { GitHub } from '../../github/client.ts';
import { headOf } from '../../github/publish-commit.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import { findOwnPull } from './publish-pull-request.ts';
import type { OwnPull } from './publish-pull-request.ts';

export interface UndoRequest {
  readonly session: string;
  readonly prefix: string;
  readonly stem: string | undefined;
  readonly ownLogin: string;
  /** When it was asked, in ms: what was closed since then was closed by a run of this very request that did not end. */
  readonly askedAt?: number | undefined;
}

/** A branch is kept that holds work of other people, or that an open pull request is to be merged into. */
export interface Undone {
  readonly number: number;
  readonly branch: string;
  readonly isBranchKept: boolean;
  /** It was closed before this was asked, and only its branch was left. */
  readonly wasClosed: boolean;
}

/**
 * Closes the session's open pull request and deletes its branch, both only where they are ours. Killed at any point and run
 * again it finishes what it began. Undefined where there is nothing to undo.
 */
export async function undoPublication(
  github: GitHub,
  repo: RepoRef,
  request: UndoRequest,
  signal: AbortSignal,
): Promise<Undone | undefined> {
  const own = await findOwnPull(github, repo, request, signal);
  if (own) return close(github, repo, own, request, signal);
  const closed = await findOwnPull(github, repo, { ...request, state: 'closed' }, signal);
  return closed && goOn(github, repo, closed, request, signal);
}

async function close(
  github: GitHub,
  repo: RepoRef,
  own: OwnPull,
  { ownLogin }: UndoRequest,
  signal: AbortSignal,
): Promise<Undone> {
  const tip = await ownTip(github, repo, own, ownLogin, signal);
  await github.rest.pulls.update({ ...repo, pull_number: own.number, state: 'closed', request: { signal } });
  const isGone = await deleteOwn(github, repo, own.branch, tip, signal);
  return { number: own.number, branch: own.branch, isBranchKept: !isGone, wasClosed: false };
}

/** An undo that died after it had closed the pull request, or after it had deleted the branch, too, and told nobody. */
async function goOn(
  github: GitHub,
  repo: RepoRef,
  own: OwnPull,
  { ownLogin, askedAt }: UndoRequest,
  signal: AbortSignal,
): Promise<Undone | undefined> {
  const { number, branch, closedAt } = own;
  const wasClosed = askedAt === undefined || closedAt === undefined || closedAt < askedAt;
  const isThere = (await headOf(github, repo, branch, signal)) !== undefined;
  if (!isThere) return wasClosed ? undefined : { number, branch, isBranchKept: false, wasClosed };
  const tip = await ownTip(github, repo, own, ownLogin, signal);
  const isGone = await deleteOwn(github, repo, branch, tip, signal);
  return wasClosed && !isGone ? undefined : { number, branch, isBranchKept: !isGone, wasClosed };
}

/** The last commit of a pull request in which all commits are ours. */
async function ownTip(
  github: GitHub,
  repo: RepoRef,
  { number }: OwnPull,
  ownLogin: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pages = { ...repo, pull_number: number, per_page: 100, request: { signal } };
  const commits = await github.paginate(github.rest.pulls.listCommits, pages);
  const isOurs = commits.length < LISTED_COMMITS && commits.every((commit) => isMadeBy(ownLogin, commit));
  return isOurs ? commits.at(-1)?.sha : undefined;
}

/** Looked at last: what was pushed since the commits were listed is somebody's. */
async function deleteOwn(
  github: GitHub,
  repo: RepoRef,
  branch: string,
  tip: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (tip === undefined || (await isBaseOfOthers(github, repo, branch, signal))) return false;
  if ((await headOf(github, repo, branch, signal)) !== tip) return false;
  await deleteBranch(github, repo, branch, signal);
  return true;
}

/** GitHub lists no more of a pull request's commits than this. */
const LISTED_COMMITS = 250;
/** As whom GitHub commits for whoever works through it. */
const GITHUB_EMAIL = 'noreply@github.com';

interface ListedCommit {
  readonly author: { login?: string } | null;
  readonly committer: { login?: string } | null;
  readonly commit: { readonly committer: { email?: string } | null };
}

/** Who amends a commit of ours is only its committer. */
function isMadeBy(ownLogin: string, { author, committer, commit }: ListedCommit): boolean {
  const isOwnHand = committer?.login === ownLogin || commit.committer?.email === GITHUB_EMAIL;
  return author?.login === ownLogin && isOwnHand;
}

/** Deleting the branch would close the pull requests that somebody stacked on it. */
async function isBaseOfOthers(github: GitHub, repo: RepoRef, base: string, signal: AbortSignal): Promise<boolean> {
  const { data } = await github.rest.pulls.list({ ...repo, state: 'open', base, request: { signal } });
  return data.length > 0;
}

async function deleteBranch(github: GitHub, repo: RepoRef, branch: string, signal: AbortSignal): Promise<void> {
  try {
    await github.rest.git.deleteRef({ ...repo, ref: `heads/${branch}`, request: { signal } });
  } catch (error) {
    // It went with the pull request, or by somebody else's hand.
    if (statusOf(error) !== 422 && statusOf(error) !== 404) throw error;
  }
}
