import type { SessionId } from '../../harness/session/types.ts';
import { LONGEST_LEASE_MS } from '../lease.ts';
import type { Holder, Lease, SessionLeases } from '../lease.ts';
import { currentEpoch } from './lease-epoch.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Leases of the sessions in the same file. `now` in epoch milliseconds: all processes share the machine's clock. */
export class SqliteLeases implements SessionLeases {
  readonly #database: SqliteDatabase;
  readonly #now: () => number;

  constructor(database: SqliteDatabase, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  acquire(session: SessionId, owner: string, ttlMs: number): Promise<Lease | undefined> {
    return this.#database.write((prepare) => {
      const now = this.#now();
      if (prepare(HELD).get(session, now, now + LONGEST_LEASE_MS)) return undefined;
      const epoch = currentEpoch(prepare, session) + 1;
      prepare(TAKE).run(session, epoch, owner, now + ttlMs);
      prepare(FENCE).run(epoch, session);
      return { session, epoch };
    });
  }

  heartbeat({ session, epoch }: Lease, ttlMs: number): Promise<boolean> {
    return this.#database.write((prepare) => prepare(EXTEND).run(this.#now() + ttlMs, session, epoch).changes === 1);
  }

  async held(): Promise<ReadonlyMap<SessionId, Holder>> {
    const now = this.#now();
    const rows = await this.#database.read((prepare) => prepare(ALL_HELD).all(now, now + LONGEST_LEASE_MS));
    return new Map(
      rows.map(({ session_id, owner, epoch }) => [
        session_id as SessionId,
        { owner: String(owner), epoch: Number(epoch) },
      ]),
    );
  }

  async release({ session, epoch }: Lease): Promise<void> {
    await this.#database.write((prepare) => prepare(GIVE_UP).run(session, epoch));
  }

  prune(ageMs: number): Promise<number> {
    return this.#database.write((prepare) => Number(prepare(PRUNE).run(this.#now() - ageMs).changes));
  }
}

const HELD = 'select 1 from leases where session_id = ? and owner is not null and expires_at > ? and expires_at <= ?';
const ALL_HELD =
  'select session_id, owner, epoch from leases where owner is not null and expires_at > ? and expires_at <= ?';
const PRUNE = 'delete from leases where expires_at < ?';
const TAKE = `
insert into leases (session_id, epoch, owner, expires_at) values (?, ?, ?, ?)
on conflict (session_id) do update set epoch = excluded.epoch, owner = excluded.owner, expires_at = excluded.expires_at`;
const FENCE = 'update sessions set lease_epoch = ? where id = ?';
const EXTEND = 'update leases set expires_at = ? where session_id = ? and epoch = ? and owner is not null';
const GIVE_UP = 'update leases set owner = null where session_id = ? and epoch = ?';
