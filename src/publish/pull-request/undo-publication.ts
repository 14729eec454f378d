import type { GitHub } from '../../github/client.ts';
import { headOf } from '../../github/publish-commit.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import { findOwnPull } from './publish-pull-request.ts';

export interface UndoRequest {
  readonly session: string;
  readonly prefix: string;
  readonly ownLogin: string;
}

/** A branch is kept that holds work of other people, or that an open pull request is to be merged into. */
export interface Undone {
  readonly number: number;
  readonly branch: string;
  readonly isBranchKept: boolean;
}

/** Closes the session's open pull request and deletes its branch, both only where they are ours. Undefined where there is none. */
export async function undoPublication(
  github: GitHub,
  repo: RepoRef,
  { session, prefix, ownLogin }: UndoRequest,
  signal: AbortSignal,
): Promise<Undone | undefined> {
  const own = await findOwnPull(github, repo, { session, prefix, ownLogin }, signal);
  if (!own) return undefined;
  const pull = { ...repo, pull_number: own.number, request: { signal } };
  const commits = await github.paginate(github.rest.pulls.listCommits, { ...pull, per_page: 100 });
  const isOurs = commits.length < LISTED_COMMITS && commits.every((commit) => isMadeBy(ownLogin, commit));
  await github.rest.pulls.update({ ...pull, state: 'closed' });
  const isFree = isOurs && !(await isBaseOfOthers(github, repo, own.branch, signal));
  // Looked at last: what was pushed since the commits were listed is somebody's.
  const isGone = isFree && (await headOf(github, repo, own.branch, signal)) === commits.at(-1)?.sha;
  if (isGone) await deleteBranch(github, repo, own.branch, signal);
  return { number: own.number, branch: own.branch, isBranchKept: !isGone };
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
