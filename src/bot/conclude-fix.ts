import type { ContinuationDecision } from '../harness/agent/types.ts';
import { readTreeChanges } from '../github/tree/tree-changes.ts';
import type { FixOutcome } from '../publish/plan-pull-request.ts';
import type { Fix } from './fix-state.ts';
import { hostNote } from './host-note.ts';
import type { Workplace } from './job-kind.ts';
import { lastText } from './last-text.ts';
import { publishFix } from './publish-fix.ts';
import type { SubmittedResult } from './submit-result.ts';
import type { NewFailure, Verification } from './verify.ts';
import { verifyFix } from './verify-fix.ts';
import { withholdChanges } from './withhold-changes.ts';

/** The model is done: its change is verified and published, or goes back to it with what fails (F2, F3). */
export async function concludeFix(workplace: Workplace, fix: Fix): Promise<ContinuationDecision> {
  const { verify: limits } = fix.request.config;
  const tree = await readTreeChanges(workplace.checkout, workplace.signal);
  const { changes, notes: withheld, patch } = await withholdChanges(workplace, tree, fix.redactor);
  const said = fix.submitted ?? unsubmitted(workplace);
  const notes = [...said.notes, ...withheld];
  if (changes.length === 0) {
    fix.result = { produced: { kind: 'nothing' }, summary: withNotes(said.summary, notes), verify: [], patch };
    return { action: 'stop' };
  }
  const verification = await verifyFix(workplace, limits);
  if (verification.newFailure && fix.rounds < limits.rounds) {
    fix.rounds += 1;
    fix.submitted = undefined;
    return sendBack(verification.newFailure);
  }
  const outcome = fix.redactor.redactAll(fixOutcome({ ...said, notes }, verification, fix));
  const produced = await publishFix(workplace, fix, { outcome, changes });
  // A pull request tells its notes itself.
  const summary = produced.kind === 'pull-request' ? outcome.summary : withNotes(outcome.summary, outcome.notes);
  fix.result = { produced, summary, verify: outcome.verify, patch };
  return { action: 'stop' };
}

/** Ended without an accepted result: what was changed is kept, as a draft that claims nothing (PR54). */
function unsubmitted({ subject, agent }: Workplace): SubmittedResult {
  const summary = lastText(agent.session.events);
  return { outcome: 'partial', title: subject.thread.title, summary, cause: '', verification: [], notes: [] };
}

function withNotes(summary: string, notes: readonly string[]): string {
  return [summary, ...notes].filter(Boolean).join('\n\n');
}

function fixOutcome(said: SubmittedResult, { runs, newFailure }: Verification, { submitted }: Fix): FixOutcome {
  const claimsFixed = submitted?.outcome === 'fixed';
  const { title, summary, cause, notes } = said;
  return { claimsFixed, draft: !claimsFixed || newFailure !== undefined, title, summary, cause, notes, verify: runs };
}

function sendBack({ command, output, passesOnBase }: NewFailure): ContinuationDecision {
  const base = passesOnBase
    ? 'it passes without the change'
    : 'whether it passes without the change could not be found out';
  const text = `The change makes \`${command}\` fail; ${base}. Mend that, then call \`submit_result\` again.\n\n${output}`;
  return { action: 'continue', reason: hostNote(text) };
}
