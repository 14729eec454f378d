import type { Checkout } from '../git/checkout.ts';
import { git } from '../git/git.ts';
import { mirrorOptions } from '../git/mirror.ts';
import { obtainCommit } from '../git/obtain-commit.ts';
import { changesBetween } from './changes-between.ts';
import { commitTree } from './commit-tree.ts';
import { stageChanges, type StagedTree } from './stage-changes.ts';
import type { TreeChange } from './types.ts';

export type MergeResult =
  | { kind: 'merged'; staged: StagedTree }
  /** `changes` lead from the new head to a tree in which git's markers show what does not merge. */
  | { kind: 'conflict'; paths: string[]; changes: TreeChange[] };

/**
 * Three-way merge of staged changes onto a head that moved meanwhile. The result is staged on the new head; the work
 * tree stays as it is. `paths` are the files people would have to merge by hand.
 */
export async function mergeOnto(
  checkout: Pick<Checkout, 'gitDir' | 'mirror'>,
  staged: StagedTree,
  newHead: string,
  signal?: AbortSignal,
): Promise<MergeResult> {
  const { gitDir } = checkout;
  await obtainCommit(checkout, newHead, signal);
  const ours = await commitTree(gitDir, { treeSha: staged.treeSha, parent: staged.parentSha }, signal);
  const merge = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', newHead, ours];
  // With credentials: a partial repository fetches the blobs it compares.
  const options = { ...(await mirrorOptions(checkout.mirror)), gitDir, signal };
  const { exitCode, stdout } = await git(merge, { ...options, answers: [0, 1] });
  const [treeSha, ...paths] = stdout.toString().split('\0').filter(Boolean);
  const changes = await changesBetween(options, newHead, treeSha!);
  if (exitCode === 1) return { kind: 'conflict', paths: [...new Set(paths)], changes };
  return { kind: 'merged', staged: await stageChanges({ gitDir, headSha: newHead }, changes, signal) };
}
