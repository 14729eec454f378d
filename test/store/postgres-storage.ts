import pg from 'pg';
import type { EpochOf } from '../../src/store/lease.ts';
import { PostgresBackend } from '../../src/store/postgres/postgres-backend.ts';
import { PostgresLeases } from '../../src/store/postgres/postgres-leases.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { RECORD_TABLES } from './sqlite-storage.ts';
import type { MakeStorage } from './contract-storage.ts';
import type { LeaseStorage } from './run-lease-contract.ts';
import type { RecordStorage } from './run-records-contract.ts';
import type { RowStorage } from './run-rows-contract.ts';
import { openRecords } from '../../src/store/records/open-records.ts';
import { postgresRecords } from '../../src/store/postgres/postgres-records.ts';

export interface PostgresStorage extends LeaseStorage, RowStorage, RecordStorage {
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
      tables: { sessions: 'dsh.sessions', events: 'dsh.events' },
      rows: (table: string) => query(`select * from dsh.${table} order by 1, 2`),
      run: (sql: string) => query(sql),
      goBack: async (version: 1 | 2 = 1) => {
        if (version === 2) {
          await query('alter table dsh.causes drop column taken_at');
          return void (await query('update dsh.schema_version set version = 2'));
        }
        for (const table of RECORD_TABLES) await query(`drop table dsh.${table}`);
        await query('drop function dsh.tell_news()');
        await query('update dsh.schema_version set version = 1');
      },
      refuse: async (seq: number) =>
        void (await query(`alter table dsh.events add constraint refused check (seq <> ${seq}) not valid`)),
      allow: async () => void (await query('alter table dsh.events drop constraint refused')),
      leases: () => new PostgresLeases(connect()),
      forget: async () => void (await query('delete from dsh.leases')),
      expire: async () =>
        void (await query(`update dsh.leases set expires_at = clock_timestamp() - interval '1 second'`)),
      age: async (ms: number) =>
        void (await query(`update dsh.leases set expires_at = clock_timestamp() - ${ms} * interval '1 millisecond'`)),
      database: () => postgresRecords(connect()),
      records: (now: () => number) => openRecords(postgresRecords(connect()), now),
      open: (epochOf?: EpochOf) => new PostgresBackend(connect(), epochOf),
      tear: async (meta) => void (await query(tear, meta.id)),
      dispose: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
        await query('drop schema if exists dsh cascade');
      },
    };
  }) satisfies MakeStorage;
}
