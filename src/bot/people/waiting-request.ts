import { isMessageTrigger } from '../../harness/session/turn-kinds.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import '../../seams/approval/types.ts';
import '../session/session-events.ts';

/**
 * The request a log waits for: its last turn was parked by it, or its process was lost while it waited, or before it could
 * log what was decided. Undefined once the log holds that, or something else went on. Pure.
 */
export function waitingRequest(events: readonly SessionEvent[]): string | undefined {
  const at = events.findLastIndex(({ type }) => type === 'human/asked');
  const asked = events[at];
  if (asked?.type !== 'human/asked') return undefined;
  const { request, kind, turn } = asked.data;
  const waiting = new Set([turn]);
  const wentOn = events.slice(at + 1).some((event) => goesOn(event, { request, kind, waiting }));
  return wentOn ? undefined : request;
}

interface Asked {
  readonly request: string;
  readonly kind: 'approval' | 'question';
  /** Grows by the turns that were opened to go on with the answer. */
  readonly waiting: Set<number>;
}

function goesOn(event: SessionEvent, { request, kind, waiting }: Asked): boolean {
  switch (event.type) {
    case 'human/answer':
      return kind === 'question' && event.data.request === request;
    case 'approval/decided':
      return event.data.id === request;
    case 'turn/end':
      return waiting.has(event.data.turn) && event.data.reason.kind !== 'parked';
    case 'turn/start': {
      const { turn, trigger } = event.data;
      const isForIt = trigger.kind === 'github-answer' && trigger.request === request;
      if (isForIt) waiting.add(turn);
      return !isForIt && isMessageTrigger(trigger.kind);
    }
    default:
      return false;
  }
}
