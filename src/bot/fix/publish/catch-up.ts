import { headOf } from '../../../github/publish-commit.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { placeOn } from '../../../github/tree/place-on.ts';
import { rebaseWorkTree } from '../../../github/tree/rebase-work-tree.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Move } from './moved-notes.ts';

/**
 * Where the branch moved on and the work merges, the tree is moved onto its new head, so that what is published can be
 * verified there (U3). Undefined where it did not move; what does not merge is left to the publication.
 */
export async function catchUp(
  { checkout, subject, signal }: Workplace,
  fix: Fix,
  changes: readonly TreeChange[],
): Promise<Move | undefined> {
  const { access, local } = fix.request;
  const branch = local ? undefined : branchOf(subject, fix);
  const head = branch && (await headOf(access.github, access.repo, branch, signal));
  if (!branch || !head || head === checkout.headSha) return undefined;
  const staged = await stageChanges(checkout, [...changes], signal);
  const placed = await placeOn(checkout, staged, head, signal);
  if (placed.kind !== 'placed' || placed.staged.changes.length === 0) return undefined;
  await rebaseWorkTree(checkout, { from: staged, head, changes: placed.staged.changes }, signal);
  const move = { branch, from: checkout.headSha, to: head };
  if (checkout.baseSha === checkout.headSha) checkout.baseSha = head;
  checkout.headSha = head;
  return move;
}

/** A fork's branch may be out of reach: what is pushed there is merged when the work is published. */
function branchOf({ pull, repository }: Workplace['subject'], { own, request }: Fix): string | undefined {
  if (!pull) return own?.branch ?? request.config.pull.base ?? repository.defaultBranch;
  return pull.open && pull.sameRepository ? pull.headRef : undefined;
}
