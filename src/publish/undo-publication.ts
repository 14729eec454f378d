import type { GitHub } from '../github/client.ts';
import type { RepoRef } from '../github/repository.ts';
import { statusOf } from '../github/request-hook.ts';
import { findOwnPull } from './publish-pull-request.ts';

export interface UndoRequest {
  readonly session: string;
  readonly prefix: string;
  readonly ownLogin: string;
}

/** `kept`: the branch holds commits of other people, so that it stays. */
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
  const own = await findOwnPull(github, repo, { session, prefix }, signal);
  if (!own) return undefined;
  const pull = { ...repo, pull_number: own.number, request: { signal } };
  const { data } = await github.rest.pulls.get(pull);
  if (data.user.login !== ownLogin) return undefined;
  const commits = await github.paginate(github.rest.pulls.listCommits, { ...pull, per_page: 100 });
  const isOurs = commits.every(({ author }) => author?.login === ownLogin);
  await github.rest.pulls.update({ ...pull, state: 'closed' });
  if (isOurs) await deleteBranch(github, repo, own.branch, signal);
  return { number: own.number, branch: own.branch, isBranchKept: !isOurs };
}

async function deleteBranch(github: GitHub, repo: RepoRef, branch: string, signal: AbortSignal): Promise<void> {
  try {
    await github.rest.git.deleteRef({ ...repo, ref: `heads/${branch}`, request: { signal } });
  } catch (error) {
    // It went with the pull request, or by somebody else's hand.
    if (statusOf(error) !== 422 && statusOf(error) !== 404) throw error;
  }
}
