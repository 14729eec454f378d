import type { Checkout } from '../git/checkout.ts';
import { git, gitText } from '../git/git.ts';
import { linkObjects } from '../git/link-objects.ts';
import { fetchRefs, hasCommit, withMirrorLock } from '../git/mirror.ts';
import { commitMissing } from '../errors.ts';
import { fullName } from '../repository.ts';
import { changesBetween } from './changes-between.ts';
import { stageChanges, type StagedTree } from './stage-changes.ts';

export type MergeResult = { kind: 'merged'; staged: StagedTree } | { kind: 'conflict'; paths: string[] };

/** Anybody will do: this commit never leaves the machine. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'dsh',
  GIT_AUTHOR_EMAIL: 'dsh@localhost',
  GIT_COMMITTER_NAME: 'dsh',
  GIT_COMMITTER_EMAIL: 'dsh@localhost',
};

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
  await obtain(checkout, newHead, signal);
  const commitTree = ['commit-tree', staged.treeSha, '-p', staged.parentSha, '-m', 'work'];
  const ours = await gitText(commitTree, { gitDir, env: NOBODY, signal });
  const merge = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', newHead, ours];
  const { exitCode, stdout } = await git(merge, { gitDir, answers: [0, 1], signal });
  const [treeSha, ...paths] = stdout.toString().split('\0').filter(Boolean);
  if (exitCode === 1) return { kind: 'conflict', paths };

  const changes = await changesBetween(gitDir, newHead, treeSha!, signal);
  return { kind: 'merged', staged: await stageChanges({ gitDir, headSha: newHead }, changes, signal) };
}

async function obtain(
  { gitDir, mirror }: Pick<Checkout, 'gitDir' | 'mirror'>,
  sha: string,
  signal?: AbortSignal,
): Promise<void> {
  await withMirrorLock(
    mirror,
    async () => {
      const refspec = `+${sha}:refs/kept/${sha}`;
      const found = (await hasCommit(mirror, sha, signal)) || (await fetchRefs(mirror, [refspec], [], signal));
      if (!found) throw commitMissing(fullName(mirror.repository), sha);
      await linkObjects(mirror.gitDir, gitDir);
    },
    signal,
  );
}
