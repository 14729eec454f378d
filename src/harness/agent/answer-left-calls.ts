import { drainHeld } from './append-input.ts';
import { appendResult } from './append-result.ts';
import { ABORTED, ABORTED_BEFORE_DISPATCH, NOT_STARTED, OUTCOME_UNKNOWN } from './synthetic-results.ts';
import type { PendingCall } from '../session/log-state.ts';
import type { Turn } from './turn.ts';

/**
 * Answers what the batch of the open step, or of a parked turn, could not, so that the history can still be sent.
 * No outcome is invented: a call that was started may have done anything.
 */
export function answerLeftCalls(turn: Turn): void {
  const { session } = turn.loop;
  const step = session.openStep ?? 0;
  for (const call of step === 0 ? session.parkedCalls : session.pendingCalls) {
    appendResult(turn, { step, callId: call.id, callSeq: call.callSeq }, resultOf(turn, call));
  }
  turn.loop.surfaceHeld = false;
  drainHeld(turn.loop);
}

function resultOf(turn: Turn, { id, callSeq }: PendingCall) {
  if (callSeq === undefined) return NOT_STARTED;
  if (turn.waiting?.callId === id) return turn.waiting.dispatched ? ABORTED : ABORTED_BEFORE_DISPATCH;
  return OUTCOME_UNKNOWN;
}
