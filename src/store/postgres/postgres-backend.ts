import type { SessionEvent, SessionHeader, SessionId } from '../../harness/session/types.ts';
import type { EpochOf } from '../lease.ts';
import type { PersistenceBackend, StoredPrefix } from '../persistence-backend.ts';
import { EVENT_COLUMNS, writeEventRow } from '../rows/event-row.ts';
import type { EventRow } from '../rows/event-row.ts';
import { parseRun, tornLog, wholeLog } from '../rows/read-events.ts';
import { headerOf, SESSION_COLUMNS, sessionValues } from '../rows/session-row.ts';
import type { SessionRow } from '../rows/session-row.ts';
import { notNext, staleLease, storedAlready } from '../rows/write-errors.ts';
import { lockEpoch } from './lease-epoch.ts';
import type { PostgresDatabase, Query } from './postgres-database.ts';

/** The tables of the SQLite store in a server that many workers share. A torn marker is the first seq to delete. */
export class PostgresBackend implements PersistenceBackend<number> {
  readonly name = 'postgres';
  readonly #database: PostgresDatabase;
  readonly #epochOf: EpochOf;

  constructor(database: PostgresDatabase, epochOf: EpochOf = () => 0) {
    this.#database = database;
    this.#epochOf = epochOf;
  }

  has(id: SessionId): Promise<boolean> {
    return this.#database.read((query) => isStored(query, id));
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
    await this.#database.write(async (query) => {
      await this.#assertMayWrite(query, meta);
      if (!isMaterialized) await insertSession(query, header, this.#epochOf(meta.id));
      await insertEvents(query, meta.id, rows);
    });
  }

  async commitRepair(
    meta: SessionHeader,
    tornMarker: number | undefined,
    closers: readonly SessionEvent[],
  ): Promise<void> {
    const rows = closers.map(writeEventRow);
    await this.#database.write(async (query) => {
      await this.#assertMayWrite(query, meta);
      if (tornMarker !== undefined) await query(CUT, [meta.id, tornMarker]);
      await insertEvents(query, meta.id, rows);
    });
  }

  list(): Promise<SessionHeader[]> {
    return this.#database.read(async (query) => (await query<SessionRow>(LIST)).map(headerOf));
  }

  lengths(): Promise<ReadonlyMap<SessionId, number>> {
    return this.#database.read(async (query) => {
      const rows = await query<{ id: SessionId; length: string }>(LENGTHS);
      return new Map(rows.map(({ id, length }) => [id, Number(length)]));
    });
  }

  #load(id: SessionId, isWanted: (meta: SessionHeader) => boolean): Promise<StoredPrefix<number> | undefined> {
    return this.#database.read(async (query) => {
      const [row] = await query<SessionRow>(HEADER, [id]);
      const meta = row && headerOf(row);
      return meta && isWanted(meta) ? readLog(query, meta) : undefined;
    });
  }

  /** A child agent's log is its parent's to write: nobody else knows that it is there. */
  async #assertMayWrite(query: Query, { id, parentSession }: SessionHeader): Promise<void> {
    for (const one of [parentSession, id]) {
      if (one === undefined) continue;
      const current = await lockEpoch(query, one);
      const ours = this.#epochOf(one);
      if (ours < current) throw staleLease(one, ours, current);
    }
  }
}

const HAS = 'select 1 from dsh.sessions where id = $1';
const HEADER = `select ${SESSION_COLUMNS} from dsh.sessions where id = $1`;
const LIST = `select ${SESSION_COLUMNS} from dsh.sessions`;
const LENGTHS = `
select id, (select coalesce(max(seq) + 1, 0) from dsh.events where session_id = sessions.id) as length
from dsh.sessions`;
const LAST = 'select max(seq) as last from dsh.events where session_id = $1';
const CUT = 'delete from dsh.events where session_id = $1 and seq >= $2';
const ADD_SESSION = `insert into dsh.sessions (${SESSION_COLUMNS}, lease_epoch) values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const ADD_EVENTS = `
insert into dsh.events (${EVENT_COLUMNS})
select $1, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])`;
const ROWS = `
select seq, type, time, data, source_event_seqs, surface_op from dsh.events
where session_id = $1 and seq >= $2 order by seq`;

/** As `parseRun` wants it. */
const RUN = `
select string_agg(fields, ',' order by seq) as joined, count(*)::int as length from (
  select seq, concat_ws(
    ',', to_json(type)::text, seq, time, data, coalesce(source_event_seqs, 'null'), coalesce(surface_op, 'null')
  ) as fields
  from dsh.events where session_id = $1 and seq >= $2 order by seq limit $3
) run`;
const RUN_LENGTH = 1_000;

async function isStored(query: Query, id: SessionId): Promise<boolean> {
  return (await query(HAS, [id])).length > 0;
}

async function readLog(query: Query, meta: SessionHeader): Promise<StoredPrefix<number>> {
  const events: SessionEvent[] = [];
  for (let length = RUN_LENGTH; length === RUN_LENGTH;) {
    const values = [meta.id, events.length, RUN_LENGTH];
    const [run] = await query<{ joined: string | null; length: number }>(RUN, values);
    length = run!.length;
    const parsed = parseRun(run!.joined ?? '', length, events.length);
    if (!parsed) {
      return tornLog(meta, events, await query<EventRow>(ROWS, [meta.id, events.length]));
    }
    for (const event of parsed) events.push(event);
  }
  return wholeLog(meta, events);
}

async function insertSession(query: Query, header: (string | number | null)[], epoch: number): Promise<void> {
  if (await isStored(query, header[0] as SessionId)) throw storedAlready(String(header[0]));
  await query(ADD_SESSION, [...header, epoch]);
}

async function insertEvents(query: Query, id: SessionId, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const [found] = await query<{ last: string | null }>(LAST, [id]);
  const last = found!.last === null ? null : Number(found!.last);
  if (rows[0]!.seq !== (last ?? -1) + 1) throw notNext(id, rows[0]!.seq, last);
  const column = (name: keyof EventRow) => rows.map((row) => row[name]);
  const columns = (['seq', 'type', 'time', 'data', 'source_event_seqs', 'surface_op'] as const).map(column);
  await query(ADD_EVENTS, [id, ...columns]);
}
