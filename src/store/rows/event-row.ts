import type { SessionEvent } from '../../harness/session/types.ts';
import { assertStorableText } from './storable-text.ts';

/** An event in a database; what is JSON is kept as text, so that it comes back as it was. */
export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly time: number;
  readonly data: string;
  readonly source_event_seqs: string | null;
  readonly surface_op: string | null;
}

export const EVENT_COLUMNS = 'session_id, seq, type, time, data, source_event_seqs, surface_op';

const FIELDS: ReadonlySet<string> = new Set(['type', 'seq', 'time', 'data', 'sourceEventSeqs', 'surfaceOp']);

/** Throws `TypeError` on an event with more to it than the columns hold. */
export function writeEventRow(event: SessionEvent): EventRow {
  for (const field in event) {
    if (!FIELDS.has(field)) throw new TypeError(`event ${event.seq} has no place for ${JSON.stringify(field)}`);
  }
  const { seq, type, time, data, sourceEventSeqs, surfaceOp } = event as SessionEvent<'user/message'>;
  assertStorableText(type);
  return {
    ...{ seq, type, time, data: JSON.stringify(data) },
    source_event_seqs: sourceEventSeqs === undefined ? null : JSON.stringify(sourceEventSeqs),
    surface_op: surfaceOp === undefined ? null : JSON.stringify(surfaceOp),
  };
}

/** The six fields of a row as JSON texts in one list, as the databases join them for `parseRun`. */
export function eventFields(row: EventRow): string {
  const { type, seq, time, data, source_event_seqs, surface_op } = row;
  return [JSON.stringify(type), seq, time, data, source_event_seqs ?? 'null', surface_op ?? 'null'].join(',');
}
