import type { SessionId } from '../../harness/session/types.ts';
import { LONGEST_LEASE_MS } from '../lease.ts';
import type { Holder, Lease, SessionLeases } from '../lease.ts';
import { lockEpoch } from './lease-epoch.ts';
import type { PostgresDatabase } from './postgres-database.ts';

interface HeldRow {
  readonly session_id: SessionId;
  readonly owner: string;
  readonly epoch: string;
}

/** Leases of the sessions in the same database, by its clock. */
export class PostgresLeases implements SessionLeases {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  acquire(session: SessionId, owner: string, ttlMs: number): Promise<Lease | undefined> {
    return this.#database.write(async (query) => {
      const epoch = (await lockEpoch(query, session)) + 1;
      const [held] = await query(HELD, [session]);
      if (held) return undefined;
      await query(TAKE, [session, epoch, owner, ttlMs]);
      await query(FENCE, [epoch, session]);
      return { session, epoch };
    });
  }

  heartbeat({ session, epoch }: Lease, ttlMs: number): Promise<boolean> {
    return this.#database.write(async (query) => (await query(EXTEND, [ttlMs, session, epoch])).length === 1);
  }

  async held(): Promise<ReadonlyMap<SessionId, Holder>> {
    const rows = await this.#database.read((query) => query<HeldRow>(ALL_HELD));
    return new Map(rows.map(({ session_id, owner, epoch }) => [session_id, { owner, epoch: Number(epoch) }]));
  }

  async release({ session, epoch }: Lease): Promise<void> {
    await this.#database.write((query) => query(GIVE_UP, [session, epoch]));
  }

  async prune(ageMs: number): Promise<number> {
    return this.#database.write(async (query) => (await query(PRUNE, [ageMs])).length);
  }
}

const IS_HELD = `owner is not null and expires_at > clock_timestamp()
  and expires_at <= clock_timestamp() + ${LONGEST_LEASE_MS} * interval '1 millisecond'`;
const HELD = `select 1 from dsh.leases where session_id = $1 and ${IS_HELD}`;
const ALL_HELD = `select session_id, owner, epoch from dsh.leases where ${IS_HELD}`;
const PRUNE = `
delete from dsh.leases where expires_at < clock_timestamp() - $1 * interval '1 millisecond' returning session_id`;
const TAKE = `
insert into dsh.leases (session_id, epoch, owner, expires_at)
values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
on conflict (session_id) do update set epoch = excluded.epoch, owner = excluded.owner, expires_at = excluded.expires_at`;
const FENCE = 'update dsh.sessions set lease_epoch = $1 where id = $2';
const EXTEND = `
update dsh.leases set expires_at = clock_timestamp() + $1 * interval '1 millisecond'
where session_id = $2 and epoch = $3 and owner is not null returning 1`;
const GIVE_UP = 'update dsh.leases set owner = null where session_id = $1 and epoch = $2';
