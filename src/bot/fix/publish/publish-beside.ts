import type { Fix } from '../fix-state.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { publishAsPull } from './publish-as-pull.ts';
import type { Publication, StagedWork } from './publish-fix.ts';
import type { HeadBranch } from './publish-on-head.ts';
import { publishToFork } from './publish-to-fork.ts';
import { saveOnBranch } from './save-on-branch.ts';

/** A branch that takes no push gets the work as a pull request into it; a fork's as suggestions or a patch. */
export function beside(workplace: Workplace, fix: Fix, work: StagedWork, { branch, isFork }: HeadBranch) {
  return isFork ? publishToFork(workplace, fix, work) : publishAsPull(workplace, fix, work, branch);
}

/** On a branch of its own, on the commit the work was made on; what stands on a fork's commit is given as a patch. */
export async function saveBeside(
  workplace: Workplace,
  fix: Fix,
  work: StagedWork,
  { isFork, why }: HeadBranch & { why: string },
): Promise<Publication> {
  if (!isFork) return saveOnBranch(workplace, fix, work, why);
  const given = await publishToFork(workplace, fix, work);
  return given.kind === 'done' ? { ...given, notes: [why, ...given.notes] } : given;
}
