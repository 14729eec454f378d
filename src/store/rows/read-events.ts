import { checkEvent } from '../../harness/session/check-event.ts';
import { freezeParsedJson } from '../../harness/session/json.ts';
import type { SessionEvent, SessionHeader } from '../../harness/session/types.ts';
import type { StoredPrefix } from '../persistence-backend.ts';
import { PersistenceError } from '../persistence-error.ts';
import { eventJson } from './event-row.ts';
import type { EventRow } from './event-row.ts';

/** Parses the JSON texts of rows, joined by commas, that begin at `first`. Undefined unless all of them continue the log. */
export function parseRun(joined: string, first: number): SessionEvent[] | undefined {
  try {
    const events = JSON.parse(`[${joined}]`) as SessionEvent[];
    const isWhole = events.every(({ seq, data }, index) => seq === first + index && isObject(data));
    return isWhole ? events.map(freezeParsedJson) : undefined;
  } catch {
    return undefined;
  }
}

/** A log all of whose rows are good. Throws `SessionLogError` on vocabulary this program does not read. */
export function wholeLog(meta: SessionHeader, events: SessionEvent[]): StoredPrefix<number> {
  events.forEach(checkEvent);
  return { meta, events };
}

/**
 * A log one of whose rows cannot be read: `rows` are those after `events`, in order. The marker is the seq from which on
 * rows are lost. Throws `PersistenceError` `CORRUPT_SESSION` if one of them ends a turn: no crash does that.
 */
export function tornLog(meta: SessionHeader, events: SessionEvent[], rows: readonly EventRow[]): StoredPrefix<number> {
  let good = 0;
  for (const row of rows) {
    const parsed = parseRun(eventJson(row), events.length);
    if (!parsed) break;
    events.push(...parsed);
    good += 1;
  }
  const lost = rows.slice(good);
  if (lost.length === 0) return wholeLog(meta, events);
  if (lost.some(({ type }) => type === 'turn/end')) {
    const message = `row ${lost[0]!.seq} of session ${meta.id} is damaged, or one before it is missing`;
    throw new PersistenceError(message, 'CORRUPT_SESSION');
  }
  return { ...wholeLog(meta, events), tornMarker: events.length };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
