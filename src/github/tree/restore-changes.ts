import { randomUUID } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkout } from '../git/checkout.ts';
import { git } from '../git/git.ts';
import type { TreeChange } from './types.ts';
import { writeTree } from './write-tree.ts';

/**
 * Puts kept changes back onto a fresh work tree, uncommitted as they were. Git writes them, since it never writes
 * through a link that the changes or the commit bring.
 */
export async function restoreChanges(
  { workTree, gitDir, headSha }: Pick<Checkout, 'workTree' | 'gitDir' | 'headSha'>,
  changes: TreeChange[],
  signal?: AbortSignal,
): Promise<void> {
  const tree = await writeTree(gitDir, headSha, changes, signal);
  const index = join(gitDir, `index-${randomUUID()}`);
  // The session's own index stays at its commit.
  await copyFile(join(gitDir, 'index'), index);
  try {
    const env = { GIT_INDEX_FILE: index };
    await git(['read-tree', '-m', '-u', headSha, tree], { gitDir, workTree, env, signal });
  } finally {
    await rm(index, { force: true });
  }
}
