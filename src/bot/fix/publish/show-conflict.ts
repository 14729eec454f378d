import type { ContinuationDecision } from '../../../harness/agent/types.ts';
import { mergeOnto } from '../../../github/tree/merge-onto.ts';
import { rebaseWorkTree } from '../../../github/tree/rebase-work-tree.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { endProcesses } from '../verify/end-processes.ts';
import type { Fix } from '../fix-state.ts';
import { hostNote } from '../../context/host-note.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { conflictText } from '../kept-work.ts';
import type { Publication } from './publish-fix.ts';

type Conflict = Extract<Publication, { kind: 'conflict' }> & {
  /** All that the work tree holds, what is not published included: a workflow of the model's is moved along. */
  readonly held: readonly TreeChange[];
};

/** The branch moved and the work does not merge: the tree is moved onto its head with markers in it, and the model goes on (U3). */
export async function showConflict(
  { ctx, checkout, agent, signal }: Workplace,
  fix: Fix,
  conflict: Conflict,
): Promise<ContinuationDecision> {
  const { staged, branch, head } = conflict;
  const policy = ctx.sandboxPolicy.resolve({ session: agent.session });
  await endProcesses({ bash: ctx.bash, policy, signal });
  const { from, paths, changes } = await mergeAll(checkout, conflict, signal);
  await rebaseWorkTree(checkout, { from, head, changes }, signal);
  if (checkout.baseSha === checkout.headSha) checkout.baseSha = head;
  checkout.headSha = head;
  fix.conflict = { staged, branch, head, paths };
  fix.submitted = undefined;
  const text = `The work tree now stands on the new head of the branch, with your change merged into it. ${conflictText(paths)} Read the files again before you edit them, run the tests, then call \`submit_result\` again.`;
  return { action: 'continue', reason: hostNote(text) };
}

/** What is published does not merge, so all of the tree does not, either. */
async function mergeAll(
  checkout: Workplace['checkout'],
  { staged, head, paths, changes, held }: Conflict,
  signal: AbortSignal,
): Promise<{ from: StagedTree; paths: readonly string[]; changes: TreeChange[] }> {
  if (held.length === staged.changes.length) return { from: staged, paths, changes };
  const from = await stageChanges(checkout, [...held], signal);
  const merge = await mergeOnto(checkout, from, head, signal);
  return merge.kind === 'conflict' ? { from, ...merge } : { from, paths, changes: merge.staged.changes };
}
