import type { Checkout } from '../git/checkout.ts';
import { mirrorOptions } from '../git/mirror.ts';
import { obtainCommit } from '../git/obtain-commit.ts';
import { changesBetween } from './changes-between.ts';
import { stageChanges, type StagedTree } from './stage-changes.ts';

/** The same tree, staged as a commit on top of another one. */
export async function restage(
  checkout: Pick<Checkout, 'gitDir' | 'mirror'>,
  { treeSha }: StagedTree,
  parent: string,
  signal?: AbortSignal,
): Promise<StagedTree> {
  const { gitDir, mirror } = checkout;
  await obtainCommit(checkout, parent, signal);
  const changes = await changesBetween({ ...(await mirrorOptions(mirror)), gitDir, signal }, parent, treeSha);
  return await stageChanges({ gitDir, headSha: parent }, changes, signal);
}
