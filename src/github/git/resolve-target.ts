import { branchMissing, commitMissing, headMoved, pullHeadMissing, repositoryEmpty } from '../errors.ts';
import { fullName } from '../repository.ts';
import { explainFetchFailure } from './explain-fetch-failure.ts';
import { git } from './git.ts';
import { fetchRefs, hasCommit, isShallow, resolveRef, type Mirror } from './mirror.ts';

/**
 * `headSha` and `sha` are what the event said; a branch without one is taken as it is now. `baseBranch` is what a branch
 * goes into, where that is another one: then its own commits do not instruct (X6).
 */
export type CheckoutTarget =
  | { kind: 'branch'; branch?: string; sha?: string; baseBranch?: string }
  | { kind: 'pull'; number: number; baseBranch: string; headSha?: string }
  | { kind: 'commit'; sha: string };

export interface ResolvedTarget {
  ref: string;
  baseSha: string;
  headSha: string;
}

const ALL_BRANCHES = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Brings a target's commits into the mirror and says which they are. Every way it can be missing has its own error. */
export async function resolveTarget(
  mirror: Mirror,
  defaultBranch: string,
  target: CheckoutTarget,
  signal?: AbortSignal,
): Promise<ResolvedTarget> {
  try {
    switch (target.kind) {
      case 'branch':
        return await resolveBranch(mirror, { ...target, branch: target.branch ?? defaultBranch }, signal);
      case 'pull':
        return await resolvePull(mirror, target, signal);
      case 'commit':
        return await resolveCommit(mirror, target.sha, signal);
    }
  } catch (error) {
    throw explainFetchFailure(fullName(mirror.repository), error);
  }
}

async function resolveBranch(
  mirror: Mirror,
  { branch, sha, baseBranch }: { branch: string; sha?: string; baseBranch?: string },
  signal?: AbortSignal,
): Promise<ResolvedTarget> {
  const ref = `refs/heads/${branch}`;
  const headSha = await branchHead(mirror, { branch, ref, ...(sha !== undefined && { sha }) }, signal);
  const isOwnBase = baseBranch === undefined || baseBranch === branch;
  return { ref, baseSha: isOwnBase ? headSha : await fetchBranch(mirror, baseBranch, signal), headSha };
}

async function branchHead(
  mirror: Mirror,
  { branch, ref, sha }: { branch: string; ref: string; sha?: string },
  signal?: AbortSignal,
): Promise<string> {
  // An Action's runner has the commit already, and no fetch would tell more.
  if (sha && mirror.settings.borrowFrom && (await hasCommit(mirror, sha, signal))) return sha;
  const tip = await fetchBranch(mirror, branch, signal);
  return commitOf(mirror, ref, sha ?? tip, tip, signal);
}

async function resolvePull(
  mirror: Mirror,
  { number, baseBranch, headSha }: { number: number; baseBranch: string; headSha?: string },
  signal?: AbortSignal,
): Promise<ResolvedTarget> {
  const ref = `refs/pull/${number}/head`;
  const baseSha = await fetchBranch(mirror, baseBranch, signal);
  // By its number on the base repository: a fork's branch is not there by name, and outlives the fork this way.
  const found = await fetchRefs(mirror, [`+${ref}:${ref}`], [], signal);
  const tip = found ? await resolveRef(mirror, ref, signal) : undefined;
  if (!tip) throw pullHeadMissing(fullName(mirror.repository), number);
  return { ref, baseSha, headSha: await commitOf(mirror, ref, headSha ?? tip, tip, signal) };
}

async function resolveCommit(mirror: Mirror, sha: string, signal?: AbortSignal): Promise<ResolvedTarget> {
  if (!(await obtain(mirror, sha, signal))) throw commitMissing(fullName(mirror.repository), sha);
  return { ref: sha, baseSha: sha, headSha: sha };
}

/** The branch's head now. All branches come along, except into a borrowed mirror, which fetches what is needed. */
async function fetchBranch(mirror: Mirror, branch: string, signal?: AbortSignal): Promise<string> {
  const ref = `refs/heads/${branch}`;
  if (mirror.settings.borrowFrom) await fetchRefs(mirror, [`+${ref}:${ref}`], [], signal);
  else await fetchRefs(mirror, ALL_BRANCHES, ['--prune'], signal);
  const tip = await resolveRef(mirror, ref, signal);
  if (tip) return tip;
  throw (await isEmpty(mirror, signal))
    ? repositoryEmpty(fullName(mirror.repository))
    : branchMissing(fullName(mirror.repository), branch);
}

/** The commit the event spoke of, also when the ref went on since; an error when it was force-pushed away. */
async function commitOf(
  mirror: Mirror,
  ref: string,
  wanted: string,
  tip: string,
  signal?: AbortSignal,
): Promise<string> {
  if (wanted === tip) return tip;
  const present = await obtain(mirror, wanted, signal);
  // Shallow history does not tell ancestors, so there the commit's presence has to do.
  if (present && ((await isShallow(mirror)) || (await isAncestor(mirror, wanted, tip, signal)))) return wanted;
  throw headMoved(ref, wanted, tip);
}

async function isAncestor({ gitDir }: Mirror, old: string, tip: string, signal?: AbortSignal): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', old, tip];
  return (await git(args, { gitDir, answers: [0, 1], signal })).exitCode === 0;
}

async function obtain(mirror: Mirror, sha: string, signal?: AbortSignal): Promise<boolean> {
  if (await hasCommit(mirror, sha, signal)) return true;
  const fetched = await fetchRefs(mirror, [`+${sha}:refs/kept/${sha}`], [], signal);
  return fetched && (await hasCommit(mirror, sha, signal));
}

async function isEmpty({ gitDir }: Mirror, signal?: AbortSignal): Promise<boolean> {
  const { stdout } = await git(['for-each-ref', '--count=1', 'refs/heads/'], { gitDir, signal });
  return stdout.length === 0;
}
