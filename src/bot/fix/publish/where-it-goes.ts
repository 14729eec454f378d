import { headOf } from '../../../github/publish-commit.ts';
import { placeOn } from '../../../github/tree/place-on.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Fix } from '../fix-state.ts';
import { howItEnded, placeApart } from './publish-as-pull.ts';
import { writableHead } from './publish-fix.ts';

/** The tree that would be published at this moment: on the head of its branch, where the work merges there. */
export async function stagedWhereItGoes(
  workplace: Workplace,
  fix: Fix,
  changes: readonly TreeChange[],
): Promise<StagedTree> {
  const { checkout, signal } = workplace;
  const staged = await stageChanges(checkout, [...changes], signal);
  const { access } = fix.request;
  const isOver = fix.own !== undefined && (await howItEnded(workplace, fix, fix.own)) !== undefined;
  const place = await branchOf(workplace, isOver ? { ...fix, own: undefined } : fix);
  const head = place && (await headOf(access.github, place.repo, place.branch, signal));
  if (head === undefined) return staged;
  const placed = await (isOver ? placeApart : placeOn)(checkout, staged, head, signal);
  return placed.kind === 'placed' ? placed.staged : staged;
}

/** Undefined where it goes on no branch that is there. */
async function branchOf(workplace: Workplace, { own, request }: Fix) {
  const { access, config } = request;
  const { pull, repository } = workplace.subject;
  if (!pull) return { repo: access.repo, branch: own?.branch ?? config.pull.base ?? repository.defaultBranch };
  const repo = await writableHead(workplace, access);
  return repo && { repo, branch: pull.headRef };
}
