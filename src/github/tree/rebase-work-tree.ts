import { randomUUID } from 'node:crypto';
import { lchown, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Checkout } from '../git/checkout.ts';
import { git } from '../git/git.ts';
import type { GitOptions } from '../git/git.ts';
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
  /** What differs from `from` stays as well, such as a file too large for a tree, unless its path is among what is written. */
  readonly keepsOthers?: boolean;
}

/**
 * Moves a work tree in use onto another commit, with changes on top. Nothing of the sandbox may run meanwhile: git writes
 * through no link that stands there, and what it writes is given to the tree's owner.
 */
export async function rebaseWorkTree(
  checkout: Pick<Checkout, 'workTree' | 'gitDir'>,
  { from, head, changes, keepsOthers = false }: Rebase,
  signal?: AbortSignal,
): Promise<void> {
  const { workTree, gitDir } = checkout;
  const tree = await writeTree(gitDir, head, changes, signal);
  const index = join(gitDir, `index-${randomUUID()}`);
  const options = { gitDir, workTree, env: { GIT_INDEX_FILE: index }, signal };
  try {
    await git(['read-tree', from.treeSha], options);
    await refresh(options);
    const touched = new Set(await pathsBetween(options, [from.treeSha, tree]));
    await leaveLfsContent(options, touched);
    if (keepsOthers) await leave(options, await listFiles(options, '--modified'), touched);
    await git(['read-tree', '--reset', '-u', tree], options);
    // A path that is gone may lead through a link by now, to anywhere.
    await giveToOwner(workTree, await pathsBetween(options, ['--diff-filter=d', from.treeSha, tree]));
    await git(['read-tree', head], options);
    await refresh(options);
    await rename(index, join(gitDir, 'index'));
  } finally {
    await rm(index, { force: true });
  }
  await moveHead(gitDir, head, signal);
}

/** Fills in the state of files, so that those that are the same are not written again. Differences are no failure. */
async function refresh(options: GitOptions): Promise<void> {
  await git(['update-index', '-q', '--refresh'], { ...options, answers: [0, 1] });
}

/** Content that stands for a pointer is no difference to be undone, where the pointer stays the same. */
async function leaveLfsContent(options: GitOptions, touched: ReadonlySet<string>): Promise<void> {
  const paths = [...(await readLfsFiles(options.gitDir)).keys()];
  if (paths.length === 0) return;
  const there = new Set(await listFiles(options));
  await leave(
    options,
    paths.filter((path) => there.has(path)),
    touched,
  );
}

/** Paths are latin1, one character a byte, since names need not be UTF-8. */
async function leave(options: GitOptions, paths: readonly string[], touched: ReadonlySet<string>): Promise<void> {
  const input = paths.filter((path) => !touched.has(path)).map((path) => `${path}\0`);
  const bytes = Buffer.from(input.join(''), 'latin1');
  await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...options, input: bytes });
}

async function listFiles(options: GitOptions, ...flags: string[]): Promise<string[]> {
  return split((await git(['ls-files', '-z', ...flags], options)).stdout);
}

async function pathsBetween({ gitDir, signal }: GitOptions, range: readonly string[]): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', ...range];
  return split((await git(args, { gitDir, ...(signal && { signal }) })).stdout);
}

function split(stdout: Buffer): string[] {
  return stdout.toString('latin1').split('\0').filter(Boolean);
}

/** A tree that was made as root belongs to the sandbox's user by now, and so must what was written as root. */
async function giveToOwner(workTree: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(workTree);
  const all = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
  const root = Buffer.from(`${workTree}/`);
  for (const path of all) {
    await lchown(Buffer.concat([root, Buffer.from(path, 'latin1')]), uid, gid).catch(ignoreGone);
  }
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
