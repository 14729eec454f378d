import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { Checkout } from '../git/checkout.ts';
import { git, gitText } from '../git/git.ts';
import { readLfsFiles, writeLfsFiles } from '../git/lfs-files.ts';
import { linkObjects } from '../git/link-objects.ts';
import { commitTree } from './commit-tree.ts';
import { stageChanges } from './stage-changes.ts';
import { readTreeChanges } from './tree-changes.ts';

type First = Pick<Checkout, 'workTree' | 'gitDir' | 'headSha'>;

/**
 * A second work tree in `folder`, with all that the first one holds now: what is not committed, not added and ignored, too.
 * Its head is a commit of just that, made in both git directories, so that what changes there can be told, and taken over
 * into the first. Nothing of the sandbox may run meanwhile. Throws `TREE_NOT_COPIED`.
 */
export async function openSecondTree<T extends First>(first: T, folder: string, signal: AbortSignal): Promise<T> {
  const [workTree, gitDir] = [join(folder, 'tree'), join(folder, 'git')];
  await copyTree(first.workTree, workTree, signal);
  const headSha = await commitAll({ ...first, workTree }, signal);
  await copyGitDir(first.gitDir, gitDir, headSha);
  await fillIndex({ gitDir, workTree, headSha }, signal);
  return { ...first, workTree, gitDir, headSha };
}

/**
 * Ignore rules count as the commit has them. Where one is not committed, the second tree's commit has others than the first's,
 * and all that they tell must be in it: else it would seem to be the child's.
 */
async function commitAll(copy: First, signal: AbortSignal): Promise<string> {
  const { changes } = await readTreeChanges(copy, signal);
  const { treeSha } = await stageChanges(copy, changes, signal);
  const headSha = await commitTree(copy.gitDir, { treeSha, parent: copy.headSha }, signal);
  return changes.some(({ path }) => IGNORE_FILE.test(path)) ? commitAll({ ...copy, headSha }, signal) : headSha;
}

const IGNORE_FILE = /(^|\/)\.gitignore$/;

/** Links stay links, so that nothing planted there is followed. */
async function copyTree(from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    await promisify(execFile)('cp', ['-a', '--reflink=auto', '--', from, to], { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new HarnessError('the work tree could not be copied: it may hold files that nobody may read', CODE, {
      cause,
    });
  }
}

const CODE = 'TREE_NOT_COPIED';

/** Without index and branches: those are the first one's. */
async function copyGitDir(from: string, to: string, headSha: string): Promise<void> {
  await mkdir(join(to, 'refs', 'heads'), { recursive: true });
  await mkdir(join(to, 'info'), { recursive: true });
  for (const name of ['config', 'packed-refs', 'shallow', join('info', 'attributes')]) {
    await copyFile(join(from, name), join(to, name)).catch(ignoreMissing);
  }
  await writeFile(join(to, 'HEAD'), `${headSha}\n`);
  await writeLfsFiles(to, await readLfsFiles(from));
  await linkObjects(from, to);
}

/** The state of each file is filled in from the disk; none is written. */
async function fillIndex({ gitDir, workTree, headSha }: First, signal: AbortSignal): Promise<void> {
  const options = { gitDir, workTree, signal };
  await gitText(['read-tree', headSha], options);
  await git(['update-index', '-q', '--refresh'], { ...options, answers: [0, 1] });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
