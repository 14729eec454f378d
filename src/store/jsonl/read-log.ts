import { checkEvent } from '../../harness/session/check-event.ts';
import { freezeParsedJson } from '../../harness/session/json.ts';
import type { SessionEvent, SessionHeader } from '../../harness/session/types.ts';
import type { StoredPrefix } from '../persistence-backend.ts';
import { PersistenceError } from '../persistence-error.ts';
import { ChunkRow, isChunkRow, unpackChunks } from './chunk-rows.ts';
import { readHeaderLine } from './header-line.ts';
import { readLines } from './log-lines.ts';
import type { LogLines } from './log-lines.ts';
import type { Compression } from './session-path.ts';

/** Cut the file at `offset`, then write again what stood there and is still good. */
export interface TornTail {
  readonly offset: number;
  readonly recovered: readonly SessionEvent[];
}

/** A line that does not continue the log: `unparsable` is no event at all, a `gap` is one with another number. */
interface BadLine {
  readonly line: number;
  readonly what: 'unparsable' | 'gap';
}

/**
 * A session file, up to the first record that a crash may have left torn. Throws `PersistenceError`
 * `CORRUPT_SESSION` when the damage cannot be that: at or before the last `turn/end`, or inside a whole frame.
 */
export function readLog(bytes: Buffer, compression: Compression): StoredPrefix<TornTail> {
  const log = readLines(bytes, compression);
  const meta = headerOf(log);
  const events: SessionEvent[] = [];
  const firstSeq: number[] = [0];
  const bad = readEvents(log.lines, events, firstSeq);
  events.forEach(checkEvent);
  if (bad) mustBeTorn(log, bad);
  if (!bad && !log.hasTornEnd) return { meta, events };
  const cut = log.cutBefore(bad?.line ?? log.lines.length);
  return { meta, events, tornMarker: { offset: cut.offset, recovered: events.slice(firstSeq[cut.fromLine]) } };
}

function headerOf({ lines }: LogLines): SessionHeader {
  const meta = readHeaderLine(lines[0]);
  if (meta) return meta;
  throw new PersistenceError('the file does not begin with a session header', 'CORRUPT_SESSION');
}

/** Fills `events`, and `firstSeq` with the number of events before each line. A bad line adds nothing. */
function readEvents(lines: readonly string[], events: SessionEvent[], firstSeq: number[]): BadLine | undefined {
  for (let line = 1; line < lines.length; line++) {
    const before = events.length;
    firstSeq[line] = before;
    if (!readRecord(lines[line]!, events)) return { line, what: 'unparsable' };
    for (let seq = before; seq < events.length; seq++) {
      if (events[seq]!.seq === seq) continue;
      events.length = before;
      return { line, what: 'gap' };
    }
  }
  firstSeq[lines.length] = events.length;
  return undefined;
}

/** Adds the events of one line, deep-frozen. Returns false if the line is not a record. */
function readRecord(line: string, events: SessionEvent[]): boolean {
  try {
    const record: unknown = freezeParsedJson(JSON.parse(line));
    if (isChunkRow(record)) {
      for (const event of unpackChunks(ChunkRow.parse(record))) events.push(freezeParsedJson(event));
      return true;
    }
    if (!isEvent(record)) return false;
    events.push(record);
    return true;
  } catch {
    return false;
  }
}

function isEvent(record: unknown): record is SessionEvent {
  if (typeof record !== 'object' || record === null) return false;
  const { type, seq, time, data } = record as Record<string, unknown>;
  return (
    typeof type === 'string' &&
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(time) &&
    typeof data === 'object' &&
    data !== null
  );
}

function mustBeTorn(log: LogLines, { line, what }: BadLine): void {
  const later: SessionEvent[] = [];
  for (const text of log.lines.slice(line)) readRecord(text, later);
  const endsATurn = later.some(({ type }) => type === 'turn/end');
  if (!endsATurn && (what === 'gap' || log.mayBeTorn(line))) return;
  throw new PersistenceError(`line ${line + 1} of the session file is damaged`, 'CORRUPT_SESSION');
}
