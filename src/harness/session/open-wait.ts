import type { WaitingFor } from '../agent/parked.ts';
import type { CallId } from '../llm/types.ts';
import type { LogState } from './log-state.ts';
import type { SessionEvent } from './types.ts';

interface Wait {
  waitingFor: WaitingFor;
  callId?: CallId;
}

/**
 * What the open turn of a log waited for when its process was lost: `human/asked` says that all it takes to go on is
 * stored. A turn that was to go on with the answer waits for it still, as long as the log does not hold it. Undefined where
 * it is answered, or the turn had gone on.
 */
export function openWait(events: readonly SessionEvent[], { turn, open, parked }: LogState): Wait | undefined {
  const asked = dataOf(events, 'human/asked').at(-1);
  if (!open || !asked || (asked.turn !== turn && !opensFor(asked.request, turn, events))) return undefined;
  const { request: id, kind, callId } = asked as { request: string; kind: WaitingFor['kind']; callId?: CallId };
  if (isSettled(events, kind, id)) return undefined;
  const waiting = open.openStep?.pending ?? parked;
  const isOpen =
    callId === undefined
      ? !open.openStep && waiting.length === 0
      : waiting.some((call) => call.id === callId && call.callSeq !== undefined);
  return isOpen ? { waitingFor: { kind, id }, ...(callId !== undefined && { callId }) } : undefined;
}

/** An answer decides a question; what it decides of an approval is an event of its own. */
function isSettled(events: readonly SessionEvent[], kind: WaitingFor['kind'], id: string): boolean {
  return kind === 'question'
    ? dataOf(events, 'human/answer').some(({ request }) => request === id)
    : dataOf(events, 'approval/decided').some((decided) => decided.id === id);
}

/** Whether the turn was opened to go on with the answer to this request. */
function opensFor(request: unknown, turn: number, events: readonly SessionEvent[]): boolean {
  const start = dataOf(events, 'turn/start').findLast((data) => data.turn === turn);
  return (start?.trigger as { request?: unknown } | undefined)?.request === request;
}

function dataOf(events: readonly SessionEvent[], type: string): Record<string, unknown>[] {
  return events.filter((event) => event.type === type).map((event) => event.data as Record<string, unknown>);
}
