import { snapshotOfParts } from './json.ts';
import type { Session } from './session.ts';
import { SessionForkError } from './session-errors.ts';
import type { SessionEvent } from './types.ts';

/** The events a fork begins with: all through `boundary`, a `turn/end`; by default the whole log. */
export function forkSeed(source: Session, boundary: number | undefined): readonly SessionEvent[] {
  if (boundary === undefined) {
    if (source.openTurn !== undefined) throw new SessionForkError(`turn ${source.openTurn} is still open`, 'OPEN_TURN');
    return source.events;
  }
  if (source.eventAt(boundary)?.type !== 'turn/end') {
    throw new SessionForkError(`event ${boundary} of session ${source.id} does not end a turn`, 'INVALID_BOUNDARY');
  }
  return snapshotOfParts(source.events.slice(0, boundary + 1));
}
