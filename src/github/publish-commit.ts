import { branchNameCandidates, branchesAbove } from './branch-name.ts';
import type { GitHub } from './client.ts';
import { branchInTheWay, branchMoved, branchRefused, repositoryEmpty } from './errors.ts';
import { createCommit } from './git-data.ts';
import { fullName, type RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';
import type { StagedTree } from './tree/stage-changes.ts';

export interface BranchDraft {
  staged: StagedTree;
  message: string;
  branch: string;
  /** The branch is ours to go on with (our open pull request's, or the one we were asked to work on). */
  isOwn: boolean;
}

export interface PublishedCommit {
  branch: string;
  sha: string;
  /** False when an earlier try had done it all. */
  isNew: boolean;
}

/**
 * Puts one commit on a branch, made or fast-forwarded, never forced. Run again after any failure it finds what it
 * did: a branch whose head has our tree and our parent is done. A foreign branch of that name → a numeric suffix.
 * Throws `BRANCH_MOVED` when our own branch is elsewhere.
 */
export async function publishCommit(
  github: GitHub,
  repo: RepoRef,
  draft: BranchDraft,
  signal?: AbortSignal,
): Promise<PublishedCommit> {
  try {
    return draft.isOwn ? await extend(github, repo, draft, signal) : await create(github, repo, draft, signal);
  } catch (error) {
    if (statusOf(error) === 409 && /repository is empty/i.test(String((error as Error).message))) {
      throw repositoryEmpty(fullName(repo));
    }
    throw error;
  }
}

async function extend(
  github: GitHub,
  repo: RepoRef,
  draft: BranchDraft,
  signal?: AbortSignal,
): Promise<PublishedCommit> {
  const { branch, staged, message } = draft;
  const head = await headOf(github, repo, branch, signal);
  if (head === undefined) return await create(github, repo, draft, signal);
  if (await isDone(github, repo, head, staged, signal)) return { branch, sha: head, isNew: false };
  if (head !== staged.parentSha) throw branchMoved(branch, staged.parentSha, head);

  const sha = await createCommit(github, repo, staged, message, signal);
  const update = { ...repo, ref: `heads/${branch}`, sha, force: false, request: { signal } };
  await github.rest.git.updateRef(update).catch(async (error: unknown) => {
    if (statusOf(error) !== 422 && statusOf(error) !== 404) throw error;
    const now = await headOf(github, repo, branch, signal);
    // Where it did not move, a rule of the repository refused it.
    throw now === staged.parentSha ? branchRefused(branch, error) : branchMoved(branch, staged.parentSha, now);
  });
  return { branch, sha, isNew: true };
}

async function create(
  github: GitHub,
  repo: RepoRef,
  { branch: wanted, staged, message }: BranchDraft,
  signal?: AbortSignal,
): Promise<PublishedCommit> {
  let made: string | undefined;
  for (const branch of branchNameCandidates(wanted)) {
    const head = await headOf(github, repo, branch, signal);
    if (head && (await isDone(github, repo, head, staged, signal))) return { branch, sha: head, isNew: false };
    if (head) continue;
    made ??= await createCommit(github, repo, staged, message, signal);
    if (await createRef(github, repo, branch, made, signal)) return { branch, sha: made, isNew: true };
  }
  throw new Error('unreachable: there is always one more name');
}

/** False when the name was taken meanwhile. After an unknown outcome it looks before it tries once more. */
async function createRef(
  github: GitHub,
  repo: RepoRef,
  branch: string,
  sha: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const create = () => github.rest.git.createRef({ ...repo, ref: `refs/heads/${branch}`, sha, request: { signal } });
  try {
    await create();
  } catch (error) {
    const status = statusOf(error) ?? 0;
    if ((status !== 422 && status < 500) || signal?.aborted) throw error;
    const head = await headOf(github, repo, branch, signal);
    if (head !== undefined) return head === sha;
    if (status === 422) {
      if (await hasBranchesBelow(github, repo, branch, signal)) return false;
      // Else it is about something else, such as a rule of the repository.
      throw (await blockedBy(github, repo, branch, signal)) ?? error;
    }
    await create();
  }
  return true;
}

async function hasBranchesBelow(github: GitHub, repo: RepoRef, branch: string, signal?: AbortSignal): Promise<boolean> {
  const below = { ...repo, ref: `heads/${branch}/`, request: { signal } };
  return (await github.rest.git.listMatchingRefs(below)).data.length > 0;
}

async function blockedBy(github: GitHub, repo: RepoRef, branch: string, signal?: AbortSignal) {
  for (const above of branchesAbove(branch)) {
    if ((await headOf(github, repo, above, signal)) !== undefined) return branchInTheWay(branch, above);
  }
  return undefined;
}

/** The commit a branch stands at; undefined where there is no such branch. */
export async function headOf(
  github: GitHub,
  repo: RepoRef,
  branch: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await github.rest.git.getRef({ ...repo, ref: `heads/${branch}`, request: { signal } })).data.object.sha;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function isDone(
  github: GitHub,
  repo: RepoRef,
  head: string,
  { treeSha, parentSha }: StagedTree,
  signal?: AbortSignal,
): Promise<boolean> {
  if (head === parentSha) return false;
  const { data } = await github.rest.git.getCommit({ ...repo, commit_sha: head, request: { signal } });
  return data.tree.sha === treeSha && data.parents.length === 1 && data.parents[0]!.sha === parentSha;
}
