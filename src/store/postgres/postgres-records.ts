import type { RecordDatabase, Row } from '../records/record-database.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** The records beside the sessions of a server. */
export function postgresRecords(database: PostgresDatabase): RecordDatabase {
  return {
    read: ([sql, ...values]) => database.read((query) => query<Row>(sql, values)),
    write: (...statements) =>
      database.write(async (query) => {
        const rows: Row[][] = [];
        for (const [sql, ...values] of statements) rows.push(await query<Row>(sql, values));
        return rows;
      }),
  };
}
