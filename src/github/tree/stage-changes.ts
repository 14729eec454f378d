import type { Checkout } from '../git/checkout.ts';
import { gitText } from '../git/git.ts';
import type { TreeChange } from './types.ts';
import { writeTree } from './write-tree.ts';

/** Changes on top of a commit, with the ids of the trees before and after: enough to publish them and to know them again. */
export interface StagedTree {
  parentSha: string;
  parentTreeSha: string;
  treeSha: string;
  changes: TreeChange[];
}

export async function stageChanges(
  { gitDir, headSha }: Pick<Checkout, 'gitDir' | 'headSha'>,
  changes: TreeChange[],
  signal?: AbortSignal,
): Promise<StagedTree> {
  const parentTreeSha = await gitText(['rev-parse', `${headSha}^{tree}`], { gitDir, signal });
  const treeSha = await writeTree(gitDir, headSha, changes, signal);
  return { parentSha: headSha, parentTreeSha, treeSha, changes };
}
