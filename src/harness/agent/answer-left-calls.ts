import type { PendingCall } from '../session/log-state.ts';
import { outcomeUnknown, toolNotStarted } from '../session/repair-results.ts';
import { aborted, abortedBeforeDispatch } from '../tools/tool-results.ts';
import { drainHeld } from './append-input.ts';
import { appendResult } from './append-result.ts';
import type { LoggedResult } from './append-result.ts';
import type { Turn } from './turn.ts';

/**
 * Answers what the batch of the open step, or of a parked turn, could not, so that the history can still be sent.
 * No outcome is invented: a call that was started may have done anything.
 */
export function answerLeftCalls(turn: Turn): void {
  const { session } = turn.loop;
  const step = session.openStep ?? 0;
  for (const call of step === 0 ? session.parkedCalls : session.pendingCalls) {
    appendResult(turn, { step, callId: call.id, callSeq: call.callSeq }, resultOf(turn, call, step));
  }
  turn.loop.surfaceHeld = false;
  drainHeld(turn.loop);
}

function resultOf(turn: Turn, call: PendingCall, step: number): LoggedResult {
  const place = { turn: turn.number, step };
  const hasRun = turn.dispatched.has(call.id);
  const { callSeq } = call;
  if (callSeq === undefined) return toolNotStarted(call, place).data;
  if (call.id === turn.waitingCall) return hasRun ? aborted() : abortedBeforeDispatch();
  return step === 0 && !hasRun ? toolNotStarted(call, place).data : outcomeUnknown({ ...call, callSeq }, place).data;
}
