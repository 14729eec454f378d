import { checkEvent } from '../../harness/session/check-event.ts';
import { freezeParsedJson } from '../../harness/session/json.ts';
import type { SessionEvent, SessionHeader } from '../../harness/session/types.ts';
import type { StoredPrefix } from '../persistence-backend.ts';
import { PersistenceError } from '../persistence-error.ts';
import { eventFields } from './event-row.ts';
import type { EventRow } from './event-row.ts';

/** A row's `eventFields`. */
const FIELDS = 6;

/**
 * Parses the fields of `length` rows, joined by commas, that begin at seq `first`: a row at a time would cost twice as
 * much. Undefined unless all of them continue the log.
 */
export function parseRun(joined: string, length: number, first: number): SessionEvent[] | undefined {
  try {
    const fields = JSON.parse(`[${joined}]`) as unknown[];
    if (fields.length !== length * FIELDS) return undefined;
    const events: SessionEvent[] = [];
    for (let at = 0; at < fields.length; at += FIELDS) {
      const [seq, data] = [fields[at + 1], fields[at + 3]];
      if (seq !== first + events.length || typeof data !== 'object' || data === null) return undefined;
      events.push(eventOf(fields, at));
    }
    return events;
  } catch {
    return undefined;
  }
}

/** Throws `TypeError` on JSON that is not lossless. */
function eventOf(fields: readonly unknown[], at: number): SessionEvent {
  const [data, sources, op] = [fields[at + 3], fields[at + 4], fields[at + 5]];
  const event: Record<string, unknown> = { type: fields[at], seq: fields[at + 1], time: fields[at + 2], data };
  freezeParsedJson(data);
  if (sources !== null) event['sourceEventSeqs'] = freezeParsedJson(sources);
  if (op !== null) event['surfaceOp'] = freezeParsedJson(op);
  return Object.freeze(event) as unknown as SessionEvent;
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
    const parsed = parseRun(eventFields(row), 1, events.length);
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
