import type { ContinuationDecision } from '../../../harness/agent/types.ts';
import { rebaseWorkTree } from '../../../github/tree/rebase-work-tree.ts';
import { endProcesses } from '../verify/end-processes.ts';
import type { Fix } from '../fix-state.ts';
import { hostNote } from '../../context/host-note.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { conflictText } from '../kept-work.ts';
import type { Publication } from './publish-fix.ts';

/** The branch moved and the work does not merge: the tree is moved onto its head with markers in it, and the model goes on (U3). */
export async function showConflict(
  { ctx, checkout, agent, signal }: Workplace,
  fix: Fix,
  { staged, branch, head, paths, changes }: Extract<Publication, { kind: 'conflict' }>,
): Promise<ContinuationDecision> {
  const policy = ctx.sandboxPolicy.resolve({ session: agent.session });
  await endProcesses({ bash: ctx.bash, policy, signal });
  await rebaseWorkTree(checkout, { from: staged, head, changes }, signal);
  if (checkout.baseSha === checkout.headSha) checkout.baseSha = head;
  checkout.headSha = head;
  fix.conflict = { staged, branch, head, paths };
  fix.submitted = undefined;
  const text = `The work tree now stands on the new head of the branch, with your change merged into it. ${conflictText(paths)} Read the files again before you edit them, run the tests, then call \`submit_result\` again.`;
  return { action: 'continue', reason: hostNote(text) };
}
