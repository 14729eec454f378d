import pg from 'pg';
import type { EpochOf } from '../../src/store/lease.ts';
import { PostgresBackend } from '../../src/store/postgres/postgres-backend.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

export interface PostgresStorage extends ContractStorage {
  readonly url: string;
  /** Connections as a new process would make them. */
  connect(): PostgresDatabase;
  open(epochOf?: EpochOf): PostgresBackend;
  /** Runs one statement behind our back and returns what it answers. */
  query(sql: string, ...values: (string | number | null)[]): Promise<Record<string, unknown>[]>;
}

/** Each storage is the same database with its tables gone. */
export function postgresStorage(database: () => string): () => Promise<PostgresStorage> {
  return (async () => {
    const url = database();
    const connections: PostgresDatabase[] = [];
    const connect = () => {
      const made = new PostgresDatabase({ url });
      connections.push(made);
      return made;
    };
    const query: PostgresStorage['query'] = async (sql, ...values) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql, values)).rows;
      } finally {
        await client.end();
      }
    };
    const tear = `insert into dsh.events select id, (select max(seq) + 1 from dsh.events where session_id = id),
      'todo/write', 1, '{"todos":[', null, null from dsh.sessions where id = $1`;
    return {
      ...{ url, connect, query },
      open: (epochOf?: EpochOf) => new PostgresBackend(connect(), epochOf),
      tear: async (meta) => void (await query(tear, meta.id)),
      dispose: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
        await query('drop schema if exists dsh cascade');
      },
    };
  }) satisfies MakeStorage;
}
