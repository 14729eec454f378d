import type { Checkout } from '../git/checkout.ts';
import { diffCommits } from '../git/diff-commits.ts';
import { git, gitText } from '../git/git.ts';
import type { GitOptions } from '../git/git.ts';
import { mirrorOptions } from '../git/mirror.ts';
import { changesBetween } from './changes-between.ts';
import { commitTree } from './commit-tree.ts';
import { rebaseWorkTree } from './rebase-work-tree.ts';
import { stageChanges } from './stage-changes.ts';
import type { StagedTree } from './stage-changes.ts';
import { readTreeChanges } from './tree-changes.ts';
import type { LeftOut } from './types.ts';

/** A child can write gigabytes, and whoever reads its patch has room for a page. */
const MAX_SHOWN_BYTES = 32 * 1024 ** 2;

/** What was changed in a second tree since it was made. */
export interface TreePatch {
  /** A commit in the first tree's git directory, on top of the one the second began with. */
  readonly id: string;
  /** Files and counts, as git shows them. */
  readonly stat: string;
  readonly diff: string;
  /** Changes that are not in it. */
  readonly leftOut: readonly LeftOut[];
}

/** What a second tree changed; undefined where nothing. */
export async function readTreePatch(
  first: Pick<Checkout, 'gitDir'>,
  second: Pick<Checkout, 'workTree' | 'gitDir' | 'headSha'>,
  signal?: AbortSignal,
): Promise<TreePatch | undefined> {
  const { changes, leftOut } = await readTreeChanges(second, signal);
  if (changes.length === 0) return undefined;
  const { gitDir } = first;
  const staged = await stageChanges({ gitDir, headSha: second.headSha }, changes, signal);
  const id = await commitTree(gitDir, { treeSha: staged.treeSha, parent: second.headSha }, signal);
  const stat = await gitText(['diff-tree', '--stat=120', '-M', second.headSha, id], { gitDir, signal });
  return { id, stat, diff: await readableDiff(gitDir, staged, signal), leftOut };
}

/** It is read only, never applied: no bytes of binary files, and of a deleted one its name. */
async function readableDiff(
  gitDir: string,
  { parentTreeSha, treeSha, changes }: StagedTree,
  signal?: AbortSignal,
): Promise<string> {
  const bytes = changes.reduce((sum, change) => sum + (change.kind === 'deleted' ? 0 : change.bytes.byteLength), 0);
  if (bytes > MAX_SHOWN_BYTES) return '(The changes are too large to be shown.)';
  return diffCommits({ gitDir, signal }, parentTreeSha, treeSha, ['--irreversible-delete']);
}

/** `missing`: this git directory does not hold it, as after a change of machines. */
export type TakenOver =
  | { readonly kind: 'applied'; readonly paths: readonly string[] }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'missing' };

/**
 * Merges a patch into the first tree as it is now: whole, or, where it conflicts, not at all. Nothing of the sandbox may
 * run meanwhile.
 */
export async function applyTreePatch(first: Checkout, id: string, signal?: AbortSignal): Promise<TakenOver> {
  const { gitDir, headSha } = first;
  const options = { ...(await mirrorOptions(first.mirror)), gitDir, signal };
  const { exitCode: isMissing } = await git(['cat-file', '-e', `${id}^{commit}`], { ...options, answers: [0, 1, 128] });
  if (isMissing) return { kind: 'missing' };
  const { changes } = await readTreeChanges(first, signal);
  const now = await stageChanges(first, changes, signal);
  // Both stand on the commit that the second tree began with, so that it is what they are compared by.
  const ours = await commitTree(gitDir, { treeSha: now.treeSha, parent: `${id}^` }, signal);
  const merge = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, id];
  const { exitCode, stdout } = await git(merge, { ...options, answers: [0, 1] });
  const [treeSha, ...paths] = stdout.toString().split('\0').filter(Boolean);
  if (exitCode === 1) return { kind: 'conflict', paths: [...new Set(paths)] };
  if (treeSha === now.treeSha) return { kind: 'nothing' };
  const merged = await changesBetween(options, headSha, treeSha!);
  await replace(first, now, { treeSha: treeSha!, changes: merged }, signal);
  return { kind: 'applied', paths: await pathsBetween(options, now.treeSha, treeSha!) };
}

async function pathsBetween(options: GitOptions, from: string, to: string): Promise<string[]> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to], options);
  return stdout.toString().split('\0').filter(Boolean);
}

/** A failure half way, as on a full disk, leaves the tree as it was. */
async function replace(
  first: Checkout,
  now: StagedTree,
  next: Pick<StagedTree, 'treeSha' | 'changes'>,
  signal?: AbortSignal,
): Promise<void> {
  const head = first.headSha;
  // What could not be read into a tree, the patch does not know either.
  const keepsOthers = true;
  try {
    await rebaseWorkTree(first, { from: now, head, changes: next.changes, keepsOthers }, signal);
  } catch (error) {
    await rebaseWorkTree(first, { from: { ...now, ...next }, head, changes: now.changes, keepsOthers });
    throw error;
  }
}
