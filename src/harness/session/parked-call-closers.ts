import type { LogState, PendingCall } from './log-state.ts';
import { answeredQuestion, outcomeUnknown, toolNotStarted } from './repair-results.ts';
import type { RepairResult } from './repair-results.ts';
import { isMessageTrigger } from './turn-kinds.ts';
import type { JsonValue, SessionEvent } from './types.ts';

/** What the log says of a call that a parked turn left open. */
type Fate = { kind: 'not-started' } | { kind: 'unknown' } | { kind: 'answered'; value: JsonValue };

/**
 * Results for the calls of a parked turn whose next turn was cut off before it had given them. A background turn
 * leaves them to the turn that will answer.
 */
export function parkedCallClosers(events: readonly SessionEvent[], state: LogState): RepairResult[] {
  if (!isMessageTrigger(state.open!.trigger)) return [];
  const place = { turn: state.turn, step: 0 };
  return state.parked.map((call) => {
    const fate = fateOf(events, call);
    if (fate.kind === 'answered') return answeredQuestion(call, place, textOf(fate.value));
    if (fate.kind === 'unknown' && call.callSeq !== undefined) {
      return outcomeUnknown({ ...call, callSeq: call.callSeq }, place);
    }
    return toolNotStarted(call, place);
  });
}

/** A call that waited for a person ran only if the person's yes is in the log; any other ran if it was started. */
function fateOf(events: readonly SessionEvent[], call: PendingCall): Fate {
  const waits = openRequest(events, call);
  if (!waits) return { kind: 'unknown' };
  const answers = dataOf(events, waits.kind === 'question' ? 'human/answer' : 'approval/decided');
  const answer = answers.findLast(({ request, id }) => (request ?? id) === waits.id);
  if (waits.kind === 'question') {
    return answer && 'value' in answer
      ? { kind: 'answered', value: answer.value as JsonValue }
      : { kind: 'not-started' };
  }
  return answer?.outcome === 'allowed-once' ? { kind: 'unknown' } : { kind: 'not-started' };
}

/** The last thing asked of a person about this call, since the message that made it. */
function openRequest(events: readonly SessionEvent[], call: PendingCall): { kind: string; id: unknown } | undefined {
  for (let seq = events.length - 1; seq >= 0; seq--) {
    const { type, data } = events[seq] as { type: string; data: Record<string, unknown> };
    if (type === 'assistant/message') return undefined;
    if (type === 'approval/asked' && data.callId === call.id) return { kind: 'approval', id: data.id };
    const reason = type === 'turn/end' ? (data.reason as Record<string, unknown>) : undefined;
    if (reason?.kind === 'parked' && reason.callId === call.id)
      return reason.waitingFor as { kind: string; id: unknown };
  }
  return undefined;
}

function dataOf(events: readonly SessionEvent[], type: string): Record<string, unknown>[] {
  return events.filter((event) => event.type === type).map((event) => event.data as Record<string, unknown>);
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
