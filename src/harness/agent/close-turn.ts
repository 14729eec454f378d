import { answerLeftCalls } from './answer-left-calls.ts';
import type { TurnEndReason } from '../session/types.ts';
import type { Turn } from './turn.ts';
import { turnEndReason } from './turn-outcome.ts';

/** From here on the turn can no longer be cancelled; its end is logged and made durable, whatever fails. */
export async function closeTurn(turn: Turn): Promise<void> {
  const { loop } = turn;
  const parking = turn.cancellation.parking;
  loop.cancellation = undefined;
  contained(turn, () => (parking?.callId === undefined ? answerLeftCalls(turn) : logHeld(turn)));
  const reason = turnEndReason(turn.cancellation.outcome, turn.facts);
  contained(turn, () => void loop.session.append('turn/end', { turn: turn.number, reason }));
  if (reason.kind === 'error') loop.reportError(turn.number, reason.step, turn.facts.failed?.error);
  await flush(turn);
  settleInput(turn, reason);
}

function logHeld({ loop, number }: Turn): void {
  const contexts = loop.inbox.takeHeld();
  if (contexts.length > 0) loop.session.append('context/held', { turn: number, contexts });
}

async function flush({ loop, number, step }: Turn): Promise<void> {
  try {
    await loop.services.sessions.flush(loop.session);
  } catch (error) {
    loop.reportError(number, step, error);
  }
}

/** Steering nobody took becomes the next prompts, unless the turn was stopped for good or its input goes back. */
function settleInput({ loop, stoppedForGood }: Turn, reason: TurnEndReason): void {
  if (stoppedForGood) loop.inbox.takeSteering();
  const parked = reason.kind === 'parked';
  loop.parking?.resolve({ parked, unstarted: parked ? loop.inbox.takeUnstarted() : [] });
  loop.parking = undefined;
  loop.inbox.requeueSteering();
}

/** What goes wrong while closing must not keep the turn open. */
function contained(turn: Turn, act: () => void): void {
  try {
    act();
  } catch (error) {
    turn.loop.reportError(turn.number, turn.step, error);
  }
}
