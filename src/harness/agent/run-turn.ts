import { acceptPrompt } from './accept-prompt.ts';
import { closeTurn } from './close-turn.ts';
import { decideContinuation } from './decide-continuation.ts';
import type { InboxItem } from './inbox.ts';
import type { Loop } from './loop.ts';
import { recoverRequest } from './recover-request.ts';
import { runStep } from './run-step.ts';
import { heldContexts } from './session-log.ts';
import { resumeParkedTurn } from './settle-parked.ts';
import type { TurnCancellation } from './turn-cancellation.ts';
import { Turn, TurnInterrupted } from './turn.ts';

/**
 * Runs one claimed item as one turn, to its `turn/end` and flush. Never rejects: what fails ends this turn only.
 * The order of everything in here is the contract (docs/spec/agent.md, section 2).
 */
export async function runTurn(loop: Loop, item: InboxItem, cancellation: TurnCancellation): Promise<void> {
  const turn = openTurn(loop, item, cancellation);
  if (!turn) return;
  try {
    await work(turn, item);
  } catch (error) {
    if (!(error instanceof TurnInterrupted)) turn.facts.failed ??= { step: turn.step, error };
  }
  await closeTurn(turn);
}

/** Nothing is owed for a start that was refused, so only the error is reported. */
function openTurn(loop: Loop, item: InboxItem, cancellation: TurnCancellation): Turn | undefined {
  const turn = new Turn(loop, loop.session.lastTurn + 1, cancellation);
  try {
    loop.session.append('turn/start', { turn: turn.number, trigger: triggerOf(item) });
  } catch (error) {
    loop.cancellation = undefined;
    loop.reportError(turn.number, 0, error);
    return undefined;
  }
  loop.inbox.holdFirst(heldContexts(loop.session));
  return turn;
}

function triggerOf(item: InboxItem) {
  if (item.kind === 'resume-parked') return item.resume.trigger;
  return item.prompt.trigger ?? { kind: 'message' as const, source: item.prompt.source };
}

async function work(turn: Turn, item: InboxItem): Promise<void> {
  const begun =
    item.kind === 'prompt' ? await acceptPrompt(turn, item.prompt) : await resumeParkedTurn(turn, item.resume);
  turn.checkpoint();
  if (begun === 'decide' ? await decideContinuation(turn, false) : begun) await runSteps(turn);
}

async function runSteps(turn: Turn): Promise<void> {
  for (let more = true; more;) {
    const result = await runStep(turn);
    turn.checkpoint();
    more = result.kind === 'failed' ? await recoverRequest(turn, result) : await decideContinuation(turn, result.goOn);
  }
}
