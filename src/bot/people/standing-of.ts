import { isMessageTrigger } from '../../harness/session/turn-kinds.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { approvedCause } from '../job/job-cause.ts';
import { takeUp } from '../job/take-up.ts';
import { waitingRequest } from './waiting-request.ts';

/**
 * What is left to do about a request of a job, by its session's log: its turn waits, the turn it opened was cut off, or the
 * fix of the plan that was approved; else nothing. Pure.
 */
export function standingOf(
  events: readonly SessionEvent[],
  request: string,
  cause: string,
): 'waits' | 'cut-off' | 'over' {
  if (waitingRequest(events) === request) return 'waits';
  return isPlanApproved(events, cause, request) ? standingOfFix(events, cause) : standingOfTurn(events, request);
}

/** The job of the cause came to an approved plan after this was asked. */
function isPlanApproved(events: readonly SessionEvent[], cause: string, request: string): boolean {
  const asked = events.findLastIndex((event) => event.type === 'human/asked' && event.data.request === request);
  const turns = new Set(events.flatMap((event) => (isOf(event, cause) ? [event.data.turn] : [])));
  return events.slice(asked < 0 ? events.length : asked).some((event) => {
    if (event.type !== 'job/result' || !turns.has(event.data.turn)) return false;
    const { produced } = event.data.result as { produced?: { kind?: string; approved?: boolean } };
    return produced?.kind === 'plan' && produced.approved === true;
  });
}

function isOf(event: SessionEvent, cause: string): event is SessionEvent<'turn/start'> {
  return event.type === 'turn/start' && (event.data.trigger as { cause?: string }).cause === cause;
}

/** Its process was lost before it began, or while it worked. */
function standingOfFix(events: readonly SessionEvent[], cause: string): 'cut-off' | 'over' {
  const { kind } = takeUp(events, { cause: approvedCause(cause), opening: undefined });
  return kind === 'begin' || kind === 'resume' ? 'cut-off' : 'over';
}

function standingOfTurn(events: readonly SessionEvent[], request: string): 'cut-off' | 'over' {
  const last = events.findLast((event) => event.type === 'turn/start' && isMessageTrigger(event.data.trigger.kind));
  if (last?.type !== 'turn/start') return 'over';
  const { turn, trigger } = last.data;
  if (trigger.kind !== 'github-answer' || trigger.request !== request) return 'over';
  const end = events.findLast((event) => event.type === 'turn/end' && event.data.turn === turn);
  const reason = end?.type === 'turn/end' ? end.data.reason.kind : 'interrupted';
  return reason === 'interrupted' || reason === 'disposed' ? 'cut-off' : 'over';
}
