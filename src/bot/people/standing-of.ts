import type { SessionEvent } from '../../harness/session/types.ts';
import { waitingRequest } from './waiting-request.ts';

/** What is left to do about a request, by its session's log: its turn waits, the turn it opened was cut off, or nothing. Pure. */
export function standingOf(events: readonly SessionEvent[], request: string): 'waits' | 'cut-off' | 'over' {
  if (waitingRequest(events) === request) return 'waits';
  const last = events.findLast((event) => event.type === 'turn/start' && event.data.trigger.kind !== 'injection');
  if (last?.type !== 'turn/start') return 'over';
  const { turn, trigger } = last.data;
  if (trigger.kind !== 'github-answer' || trigger.request !== request) return 'over';
  const end = events.findLast((event) => event.type === 'turn/end' && event.data.turn === turn);
  const reason = end?.type === 'turn/end' ? end.data.reason.kind : 'interrupted';
  return reason === 'interrupted' || reason === 'disposed' ? 'cut-off' : 'over';
}
