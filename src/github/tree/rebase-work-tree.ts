import { randomUUID } from 'node:crypto';
import { lchown, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Checkout } from '../git/checkout.ts';
import { git } from '../git/git.ts';
import { readLfsFiles } from '../git/lfs-files.ts';
import type { StagedTree } from './stage-changes.ts';
import type { TreeChange } from './types.ts';
import { writeTree } from './write-tree.ts';

export interface Rebase {
  /** What the work tree holds: all of it is in this tree, what the commit ignores aside. */
  readonly from: StagedTree;
  readonly head: string;
  /** On top of `head`, uncommitted. */
  readonly changes: TreeChange[];
}

/**
 * Moves a work tree in use onto another commit, with changes on top. Nothing of the sandbox may run meanwhile: git writes
 * through no link that stands there, and what it writes is given to the tree's owner.
 */
export async function rebaseWorkTree(
  checkout: Pick<Checkout, 'workTree' | 'gitDir'>,
  { from, head, changes }: Rebase,
  signal?: AbortSignal,
): Promise<void> {
  const { workTree, gitDir } = checkout;
  const tree = await writeTree(gitDir, head, changes, signal);
  const index = join(gitDir, `index-${randomUUID()}`);
  const options = { gitDir, workTree, env: { GIT_INDEX_FILE: index }, signal };
  try {
    await git(['read-tree', from.treeSha], options);
    await refresh(options);
    const written = await pathsBetween(gitDir, from.treeSha, tree, signal);
    await leaveLfsContent(options, new Set(written));
    await git(['read-tree', '--reset', '-u', tree], options);
    await giveToOwner(workTree, written);
    await git(['read-tree', head], options);
    await refresh(options);
    await rename(index, join(gitDir, 'index'));
  } finally {
    await rm(index, { force: true });
  }
  await moveHead(gitDir, head, signal);
}

/** Fills in the state of files, so that those that are the same are not written again. Differences are no failure. */
async function refresh(options: Parameters<typeof git>[1]): Promise<void> {
  await git(['update-index', '-q', '--refresh'], { ...options, answers: [0, 1] });
}

/** Content that stands for a pointer is no difference to be undone, where the pointer stays the same. */
async function leaveLfsContent(options: Parameters<typeof git>[1], written: ReadonlySet<string>): Promise<void> {
  const paths = [...(await readLfsFiles(options.gitDir)).keys()].map((path) => Buffer.from(path, 'latin1').toString());
  if (paths.length === 0) return;
  const there = new Set((await git(['ls-files', '-z'], options)).stdout.toString().split('\0'));
  const input = paths.filter((path) => there.has(path) && !written.has(path)).map((path) => `${path}\0`);
  await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...options, input: input.join('') });
}

async function pathsBetween(gitDir: string, from: string, to: string, signal?: AbortSignal): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to];
  return (await git(args, { gitDir, signal })).stdout.toString().split('\0').filter(Boolean);
}

/** A tree that was made as root belongs to the sandbox's user by now, and so must what was written as root. */
async function giveToOwner(workTree: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(workTree);
  const all = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
  for (const path of all) await lchown(join(workTree, path), uid, gid).catch(ignoreGone);
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** The session's branch, or its detached HEAD. */
async function moveHead(gitDir: string, head: string, signal?: AbortSignal): Promise<void> {
  const { exitCode, stdout } = await git(['symbolic-ref', '-q', 'HEAD'], { gitDir, answers: [0, 1], signal });
  const place = exitCode === 0 ? stdout.toString().trim() : 'HEAD';
  await writeFile(join(gitDir, place), `${head}\n`);
}
