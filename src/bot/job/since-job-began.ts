import { isMessageTrigger } from '../../harness/session/turn-kinds.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import '../session/session-events.ts';

/** Triggers of turns that go on with a job which waited, or lost its worker. */
const CONTINUING: ReadonlySet<string> = new Set(['github-answer', 'github-resume']);

/**
 * The events of a log since its last job began, over all the turns that waited; what was done in the background between them
 * began nothing. Pure.
 */
export function sinceJobBegan(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const began = events.findLastIndex((event) => event.type === 'turn/start' && begins(event.data.trigger.kind));
  return events.slice(Math.max(began, 0));
}

function begins(kind: string): boolean {
  return isMessageTrigger(kind) && !CONTINUING.has(kind);
}
