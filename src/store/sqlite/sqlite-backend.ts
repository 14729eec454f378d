import type { SessionEvent, SessionHeader, SessionId } from '../../harness/session/types.ts';
import type { EpochOf } from '../lease.ts';
import type { PersistenceBackend, StoredPrefix } from '../persistence-backend.ts';
import { EVENT_COLUMNS, writeEventRow } from '../rows/event-row.ts';
import type { EventRow } from '../rows/event-row.ts';
import { parseRun, tornLog, wholeLog } from '../rows/read-events.ts';
import { headerOf, SESSION_COLUMNS, sessionValues } from '../rows/session-row.ts';
import type { SessionRow } from '../rows/session-row.ts';
import { notNext, staleLease, storedAlready } from '../rows/write-errors.ts';
import { currentEpoch } from './lease-epoch.ts';
import type { Prepare, SqliteDatabase } from './sqlite-database.ts';

/** All sessions in two tables: the header in one, an event a row in the other. A torn marker is the first seq to delete. */
export class SqliteBackend implements PersistenceBackend<number> {
  readonly name = 'sqlite';
  readonly #database: SqliteDatabase;
  readonly #epochOf: EpochOf;

  constructor(database: SqliteDatabase, epochOf: EpochOf = () => 0) {
    this.#database = database;
    this.#epochOf = epochOf;
  }

  has(id: SessionId): Promise<boolean> {
    return this.#database.read((prepare) => prepare(HAS).get(id) !== undefined);
  }

  loadStored(id: SessionId): Promise<StoredPrefix<number> | undefined> {
    return this.#load(id, () => true);
  }

  loadLive(id: SessionId, cwd: string | undefined): Promise<StoredPrefix<number> | undefined> {
    return this.#load(id, (meta) => meta.cwd === cwd);
  }

  async appendBatch(meta: SessionHeader, events: readonly SessionEvent[], isMaterialized: boolean): Promise<void> {
    const rows = events.map(writeEventRow);
    const header = sessionValues(meta);
    await this.#database.write((prepare) => {
      this.#assertMayWrite(prepare, meta);
      if (!isMaterialized) insertSession(prepare, header, this.#epochOf(meta.id));
      insertEvents(prepare, meta.id, rows);
    });
  }

  async commitRepair(
    meta: SessionHeader,
    tornMarker: number | undefined,
    closers: readonly SessionEvent[],
  ): Promise<void> {
    const rows = closers.map(writeEventRow);
    await this.#database.write((prepare) => {
      this.#assertMayWrite(prepare, meta);
      if (tornMarker !== undefined) prepare(CUT).run(meta.id, tornMarker);
      insertEvents(prepare, meta.id, rows);
    });
  }

  list(): Promise<SessionHeader[]> {
    return this.#database.read((prepare) => (prepare(LIST).all() as unknown as SessionRow[]).map(headerOf));
  }

  lengths(): Promise<ReadonlyMap<SessionId, number>> {
    return this.#database.read((prepare) => {
      const rows = prepare(LENGTHS).all() as unknown as { id: SessionId; length: number }[];
      return new Map(rows.map(({ id, length }) => [id, length]));
    });
  }

  #load(id: SessionId, isWanted: (meta: SessionHeader) => boolean): Promise<StoredPrefix<number> | undefined> {
    return this.#database.read((prepare) => {
      const row = prepare(HEADER).get(id) as SessionRow | undefined;
      const meta = row && headerOf(row);
      return meta && isWanted(meta) ? readLog(prepare, meta) : undefined;
    });
  }

  /** A child agent's log is its parent's to write: nobody else knows that it is there. */
  #assertMayWrite(prepare: Prepare, { id, parentSession }: SessionHeader): void {
    for (const one of [parentSession, id]) {
      if (one === undefined) continue;
      const [ours, current] = [this.#epochOf(one), currentEpoch(prepare, one)];
      if (ours < current) throw staleLease(one, ours, current);
    }
  }
}

const HAS = 'select 1 from sessions where id = ?';
const HEADER = `select ${SESSION_COLUMNS} from sessions where id = ?`;
const LIST = `select ${SESSION_COLUMNS} from sessions`;
const LENGTHS =
  'select id, (select coalesce(max(seq) + 1, 0) from events where session_id = sessions.id) as length from sessions';
const LAST = 'select max(seq) as last from events where session_id = ?';
const CUT = 'delete from events where session_id = ? and seq >= ?';
const ADD_SESSION = `insert into sessions (${SESSION_COLUMNS}, lease_epoch) values (?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_EVENT = `insert into events (${EVENT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`;
const ROWS = `select seq, type, time, data, source_event_seqs, surface_op from events where session_id = ? and seq >= ? order by seq`;

/** As `parseRun` wants it. */
const RUN = `
select group_concat(fields) as joined, count(*) as length from (
  select concat_ws(
    ',', json_quote(type), seq, time, data, coalesce(source_event_seqs, 'null'), coalesce(surface_op, 'null')
  ) as fields
  from events where session_id = ? and seq >= ? order by seq limit ?
)`;
const RUN_LENGTH = 1_000;

function readLog(prepare: Prepare, meta: SessionHeader): StoredPrefix<number> {
  const events: SessionEvent[] = [];
  for (let length = RUN_LENGTH; length === RUN_LENGTH;) {
    const run = prepare(RUN).get(meta.id, events.length, RUN_LENGTH) as { joined: string | null; length: number };
    length = run.length;
    const parsed = parseRun(run.joined ?? '', length, events.length);
    if (!parsed) {
      return tornLog(meta, events, prepare(ROWS).all(meta.id, events.length) as unknown as EventRow[]);
    }
    for (const event of parsed) events.push(event);
  }
  return wholeLog(meta, events);
}

function insertSession(prepare: Prepare, header: (string | number | null)[], epoch: number): void {
  if (prepare(HAS).get(header[0]!)) throw storedAlready(String(header[0]));
  prepare(ADD_SESSION).run(...header, epoch);
}

function insertEvents(prepare: Prepare, id: SessionId, rows: readonly EventRow[]): void {
  if (rows.length === 0) return;
  const { last } = prepare(LAST).get(id) as { last: number | null };
  if (rows[0]!.seq !== (last ?? -1) + 1) throw notNext(id, rows[0]!.seq, last);
  const insert = prepare(ADD_EVENT);
  for (const { seq, type, time, data, source_event_seqs, surface_op } of rows) {
    insert.run(id, seq, type, time, data, source_event_seqs, surface_op);
  }
}
