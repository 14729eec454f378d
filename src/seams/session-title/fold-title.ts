import { lastOfType } from '../../harness/session/last-of-type.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { SessionTitleSnapshot } from './types.ts';

/** The last title of a log, frozen. Pure. */
export function foldSessionTitle(events: readonly SessionEvent[]): SessionTitleSnapshot | undefined {
  const event = lastOfType(events, 'session/title');
  return event && Object.freeze({ ...event.data, eventSeq: event.seq, updatedAt: event.time });
}
