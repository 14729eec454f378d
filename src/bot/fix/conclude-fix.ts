import type { ContinuationDecision } from '../../harness/agent/types.ts';
import { readTreeChanges } from '../../github/tree/tree-changes.ts';
import type { TreeChange, TreeChanges } from '../../github/tree/types.ts';
import type { FixOutcome } from '../../publish/pull-request/plan-pull-request.ts';
import { hasPassed } from '../../publish/pull-request/plan-pull-request.ts';
import { catchUp } from './publish/catch-up.ts';
import { changedSince } from './verify/changed-since.ts';
import { endProcesses } from './verify/end-processes.ts';
import type { Fix } from './fix-state.ts';
import { hostNote } from '../context/host-note.ts';
import type { Workplace } from '../job/job-kind.ts';
import { leftMarkers, markedNotes, markersLeft } from './left-markers.ts';
import { lastText } from '../telling/last-text.ts';
import type { Permitted } from '../people/ask/ask-publication.ts';
import { caughtUpNote } from './publish/moved-notes.ts';
import { publishFix } from './publish/publish-fix.ts';
import type { SubmittedResult } from './submit-result.ts';
import type { Verification } from './verify/verify.ts';
import { verifyFix } from './verify/verify-fix.ts';
import { settleAfterFix } from './publish/settle-after-fix.ts';
import { PROVES_NOTHING } from '../prompts/proof.ts';
import { provesNothing } from './verify/prove-tests.ts';
import { sendBack } from './verify/send-back.ts';
import { showConflict } from './publish/show-conflict.ts';
import { stagedWhereItGoes } from './publish/where-it-goes.ts';
import { withholdChanges } from './publish/withhold-changes.ts';

/**
 * The model is done: its change is verified and published, or goes back to it with what fails (F2, F3). Nothing of the
 * session runs while the tree is read and verified, so that what is published is what was verified.
 */
export async function concludeFix(workplace: Workplace, fix: Fix): Promise<ContinuationDecision> {
  const { verify: limits } = fix.request.config;
  const tree = await readQuietTree(workplace);
  const { changes, notes: withheld, patch } = await withholdChanges(workplace, tree, fix);
  const said = fix.submitted ?? unsubmitted(workplace);
  const notes = [...said.notes, ...withheld];
  if (changes.length === 0) {
    fix.result = { produced: { kind: 'nothing' }, summary: withNotes(said.summary, notes), verify: [], patch };
    return { action: 'stop' };
  }
  const marked = await leftMarkers(workplace, changes, fix);
  if (marked.length > 0 && !fix.sentMarkersBack) {
    fix.sentMarkersBack = true;
    fix.submitted = undefined;
    return { action: 'continue', reason: hostNote(markersLeft(marked)) };
  }
  const verification = await verifyFix(workplace, limits, changes);
  // Then nothing can go back to the model: it could do nothing about it.
  const isGone = (fix.isSandboxGone = verification.isSandboxGone === true);
  if (verification.newFailure && fix.rounds < limits.rounds && !isGone) {
    fix.rounds += 1;
    fix.submitted = undefined;
    return sendBack(verification.newFailure, fix.moves.length > 0);
  }
  if (provesNothing(verification.runs) && !fix.sentTestsBack && !isGone) {
    fix.sentTestsBack = true;
    fix.submitted = undefined;
    return { action: 'continue', reason: hostNote(PROVES_NOTHING) };
  }
  const touched = isGone ? [] : changedSince(tree.changes, (await readQuietTree(workplace)).changes);
  // The tree is moved only where it holds the change and nothing else.
  const isWhole = changes.length === tree.changes.length && touched.length === 0;
  const move = isWhole && mayCatchUp(verification, fix) ? await catchUp(workplace, fix, changes) : undefined;
  if (move) {
    fix.moves.push(move);
    return concludeFix(workplace, fix);
  }
  const told = [...notes, ...markedNotes(marked), ...fix.moves.map(caughtUpNote), ...touchedNotes(touched)];
  const fixed = fixOutcome({ ...said, notes: told }, verification, fix);
  const claimed = fix.redactor.redactAll(marked.length > 0 ? { ...fixed, claimsFixed: false, draft: true } : fixed);
  const permitted = await permit(workplace, fix, changes);
  // The branch moved while people were asked: what they are asked next was verified where it goes now.
  if (!permitted) return concludeFix(workplace, fix);
  const outcome = { ...claimed, notes: atMost([...claimed.notes, ...permitted.notes]) };
  const patches = [patch, permitted.refused].filter((text) => text !== undefined);
  const leftOut = patches.length > 0 ? patches.join('\n') : undefined;
  if (permitted.changes.length === 0) {
    fix.result = {
      ...{ produced: { kind: 'nothing' }, summary: withNotes(outcome.summary, outcome.notes) },
      ...{ verify: outcome.verify, patch: leftOut },
    };
    return { action: 'stop' };
  }
  const publication = await publishFix(workplace, fix, { outcome, changes: permitted.changes });
  if (publication.kind === 'conflict') return showConflict(workplace, fix, { ...publication, held: tree.changes });
  const { produced } = publication;
  const isVerified = outcome.claimsFixed && !outcome.draft;
  const left = await settleAfterFix(workplace, fix.request, { produced, isVerified });
  // A pull request tells its notes itself.
  const ownNotes = produced.kind === 'pull-request' ? [] : outcome.notes;
  const summary = withNotes(outcome.summary, [...ownNotes, ...publication.notes, ...left]);
  fix.result = { produced, summary, verify: outcome.verify, patch: leftOut };
  return { action: 'stop' };
}

/** A branch that moves again and again is not run after: what it gets then is merged, and that is said. */
const MAX_CATCH_UPS = 2;

function mayCatchUp({ runs, newFailure, isSandboxGone }: Verification, { moves, conflict }: Fix): boolean {
  return runs.length > 0 && !newFailure && !isSandboxGone && !conflict && moves.length < MAX_CATCH_UPS;
}

/** What a person must allow is asked for, all of it at once (A6); a branch in their own checkout publishes nothing. */
async function permit(workplace: Workplace, fix: Fix, changes: readonly TreeChange[]): Promise<Permitted | undefined> {
  const gate = fix.request.local ? undefined : workplace.ctx.get('publicationGate');
  if (!gate) return { changes, refused: undefined, notes: [] };
  return gate.permit(workplace, { changes, stage: () => stagedWhereItGoes(workplace, fix, changes) });
}

/** What no process changes while it is read, nor after, until the next command is run. */
async function readQuietTree({ ctx, checkout, agent, signal }: Workplace): Promise<TreeChanges> {
  const policy = ctx.sandboxPolicy.resolve({ session: agent.session });
  await endProcesses({ bash: ctx.bash, policy, signal });
  return readTreeChanges(checkout, signal);
}

const SHOWN_PATHS = 5;

/** The tests wrote to the tree themselves: what they began with is published, and not what they left. */
function touchedNotes(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  const shown = `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`;
  return [`The verification itself changed files; they are published as they were before it: ${shown}.`];
}

/** Ended without an accepted result: what was changed is kept, as a draft that claims nothing (PR54). */
function unsubmitted({ subject, agent }: Workplace): SubmittedResult {
  const summary = lastText(agent.session.events);
  return { outcome: 'partial', title: subject.thread.title, summary, cause: '', verification: [], notes: [] };
}

const SHOWN_NOTES = 30;

function withNotes(summary: string, notes: readonly string[]): string {
  return [summary, ...atMost(notes)].filter(Boolean).join('\n\n');
}

function atMost(notes: readonly string[]): readonly string[] {
  if (notes.length <= SHOWN_NOTES) return notes;
  return [...notes.slice(0, SHOWN_NOTES), `And ${notes.length - SHOWN_NOTES} more of this kind.`];
}

/** A pull request in which nothing passed closes no issue; where nothing was there to run, the model is believed. */
function fixOutcome(said: SubmittedResult, { runs, newFailure }: Verification, { submitted }: Fix): FixOutcome {
  const isFixed = submitted?.outcome === 'fixed';
  const claimsFixed = isFixed && (runs.length === 0 || runs.some(hasPassed));
  const { title, summary, cause, notes } = said;
  const draft = !isFixed || newFailure !== undefined || runs.some(({ sandbox }) => sandbox === 'none');
  return { claimsFixed, draft, title, summary, cause, notes, verify: runs };
}
