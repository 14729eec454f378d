import { parkedCallClosers } from './parked-call-closers.ts';
import { EMPTY_LOG } from './log-state.ts';
import type { LogState, PendingCall } from './log-state.ts';
import { nextLogState } from './next-log-state.ts';
import { openWait } from './open-wait.ts';
import { outcomeUnknown, toolNotStarted } from './repair-results.ts';
import type { RepairResult } from './repair-results.ts';
import type { SessionEvent, SessionEventMap, SessionEventType, TurnEndReason } from './types.ts';

type Draft = { type: SessionEventType; data: SessionEventMap[SessionEventType] } & Partial<
  Pick<RepairResult, 'surfaceOp'>
>;

/**
 * The events that close a log whose last turn was cut off: one result for each call that has none, `step/end`,
 * `turn/end {interrupted}`. A turn that waited for a person is closed as parked instead: its calls stay open for the turn
 * that answers. Empty for a balanced log. Deterministic: `time` repeats that of the last event.
 */
export function interruptedTurnClosers(events: readonly SessionEvent[]): SessionEvent[] {
  const state = events.reduce(nextLogState, EMPTY_LOG);
  const last = events.at(-1);
  if (!state.open || !last) return [];
  const wait = openWait(events, state);
  const drafts: Draft[] = wait
    ? boundaries(state, { kind: 'parked', ...wait })
    : [...results(events, state), ...boundaries(state, { kind: 'interrupted' })];
  return drafts.map((draft, index) => ({ ...draft, seq: last.seq + 1 + index, time: last.time }) as SessionEvent);
}

function results(events: readonly SessionEvent[], state: LogState): RepairResult[] {
  const { open, turn, parked } = state;
  if (parked.length > 0) return parkedCallClosers(events, state);
  const place = { turn, step: open!.step };
  return (open!.openStep?.pending ?? []).map((call) => unansweredCall(call, place));
}

function unansweredCall(call: PendingCall, place: { turn: number; step: number }): RepairResult {
  return call.callSeq === undefined
    ? toolNotStarted(call, place)
    : outcomeUnknown({ ...call, callSeq: call.callSeq }, place);
}

function boundaries({ turn, open }: LogState, reason: TurnEndReason): Draft[] {
  const end: Draft = { type: 'turn/end', data: { turn, reason } };
  return open!.openStep ? [{ type: 'step/end', data: { turn, step: open!.step } }, end] : [end];
}
