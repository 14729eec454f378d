import type { SessionId } from '../../harness/session/types.ts';
import type { Lease } from '../lease.ts';
import type { RecordDatabase, Row } from '../records/record-database.ts';
import { assertHeld } from '../rows/write-errors.ts';
import { endLease, lockEpoch } from './lease-epoch.ts';
import type { PostgresDatabase } from './postgres-database.ts';

interface Terms {
  /** Of who writes. */
  readonly lease?: Lease;
  /** Whose own lease ends with each write. */
  readonly ended?: SessionId;
}

/** The records beside the sessions of a server; with a lease for who writes them under it. */
export function postgresRecords(database: PostgresDatabase, { lease, ended }: Terms = {}): RecordDatabase {
  return {
    read: ([sql, ...values]) => database.read((query) => query<Row>(sql, values)),
    write: (...statements) =>
      database.write(async (query) => {
        if (lease) assertHeld(lease, await lockEpoch(query, lease.session));
        if (ended !== undefined) await endLease(query, ended);
        const rows: Row[][] = [];
        for (const [sql, ...values] of statements) rows.push(await query<Row>(sql, values));
        return rows;
      }),
    under: (held) => postgresRecords(database, { lease: held }),
    ending: (session) => postgresRecords(database, { ...(lease && { lease }), ended: session }),
  };
}
