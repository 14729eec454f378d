import type { Lease } from '../lease.ts';
import type { RecordDatabase, Row } from '../records/record-database.ts';
import { assertHeld } from '../rows/write-errors.ts';
import { lockEpoch } from './lease-epoch.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** The records beside the sessions of a server; with a lease for who writes them under it. */
export function postgresRecords(database: PostgresDatabase, lease?: Lease): RecordDatabase {
  return {
    read: ([sql, ...values]) => database.read((query) => query<Row>(sql, values)),
    write: (...statements) =>
      database.write(async (query) => {
        if (lease) assertHeld(lease, await lockEpoch(query, lease.session));
        const rows: Row[][] = [];
        for (const [sql, ...values] of statements) rows.push(await query<Row>(sql, values));
        return rows;
      }),
    under: (held) => postgresRecords(database, held),
  };
}
