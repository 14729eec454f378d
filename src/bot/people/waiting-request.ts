import type { SessionEvent } from '../../harness/session/types.ts';
import '../session/session-events.ts';

/**
 * The request a log waits for: its last turn was parked by it, or its process was lost while it waited. Undefined once it
 * is answered, or something else went on. Pure.
 */
export function waitingRequest(events: readonly SessionEvent[]): string | undefined {
  const at = events.findLastIndex(({ type }) => type === 'human/asked');
  const asked = events[at];
  if (asked?.type !== 'human/asked') return undefined;
  const { request, turn } = asked.data;
  const wentOn = events.slice(at + 1).some((event) => goesOn(event, request, turn));
  return wentOn ? undefined : request;
}

function goesOn(event: SessionEvent, request: string, turn: number): boolean {
  switch (event.type) {
    case 'human/answer':
      return event.data.request === request;
    case 'turn/end':
      return event.data.turn === turn && event.data.reason.kind !== 'parked';
    case 'turn/start':
      return event.data.trigger.kind !== 'injection';
    default:
      return false;
  }
}
