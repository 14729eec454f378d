import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpochOf } from '../../src/store/lease.ts';
import { SqliteBackend } from '../../src/store/sqlite/sqlite-backend.ts';
import { SqliteLeases } from '../../src/store/sqlite/sqlite-leases.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import type { SqliteConfig } from '../../src/store/sqlite/sqlite-persistence.ts';
import type { MakeStorage } from './contract-storage.ts';
import type { LeaseStorage } from './run-lease-contract.ts';
import type { RecordStorage } from './run-records-contract.ts';
import type { RowStorage } from './run-rows-contract.ts';
import { openRecords } from '../../src/store/records/open-records.ts';
import { sqliteRecords } from '../../src/store/sqlite/sqlite-records.ts';

export interface SqliteStorage extends LeaseStorage, RowStorage, RecordStorage {
  readonly path: string;
  /** A connection as a new process would make it. */
  connect(): SqliteDatabase;
  open(epochOf?: EpochOf): SqliteBackend;
  /** Runs one statement behind our back and returns what it answers. */
  query(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[];
}

export const RECORD_TABLES = ['inbox', 'causes', 'human_requests', 'snapshots', 'subjects', 'settings', 'spending'];

export function sqliteStorage(config: Omit<SqliteConfig, 'path'> = {}): () => Promise<SqliteStorage> {
  return (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-sqlite-'));
    const path = join(folder, 'dsh.sqlite');
    const connections: SqliteDatabase[] = [];
    const connect = () => {
      const database = new SqliteDatabase({ path, ...config });
      connections.push(database);
      return database;
    };
    const query: SqliteStorage['query'] = (sql, ...values) => {
      using db = new DatabaseSync(path, { timeout: 5_000 });
      return db.prepare(sql).all(...values);
    };
    let skipped = 0;
    const tear = `insert into events select id, (select max(seq) + 1 from events where session_id = id), 'todo/write', 1,
      '{"todos":[', null, null from sessions where id = ?`;
    return {
      ...{ path, connect, query },
      tables: { sessions: 'sessions', events: 'events' },
      rows: async (table: string) => query(`select * from ${table} order by 1, 2`),
      run: async (sql: string) => query(sql),
      goBack: async (version: 1 | 2 = 1) => {
        using db = new DatabaseSync(path, { timeout: 5_000 });
        if (version === 2) return db.exec('alter table causes drop column taken_at; pragma user_version = 2');
        for (const table of RECORD_TABLES) db.exec(`drop table ${table}`);
        db.exec('pragma user_version = 1');
      },
      refuse: async (seq: number) =>
        void query(
          `create trigger refused before insert on events when new.seq = ${seq} begin select raise(abort, 'refused'); end`,
        ),
      allow: async () => void query('drop trigger refused'),
      leases: () => new SqliteLeases(connect(), () => 1_000 + skipped),
      forget: async () => void query('delete from leases'),
      expire: async () => void (skipped += 3_600_000),
      age: async (ms: number) => void query('update leases set expires_at = ?', 1_000 + skipped - ms),
      database: () => sqliteRecords(connect()),
      records: (now: () => number) => openRecords(sqliteRecords(connect()), now),
      open: (epochOf?: EpochOf) => new SqliteBackend(connect(), epochOf),
      tear: async (meta) => void query(tear, meta.id),
      dispose: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
        await rm(folder, { recursive: true, force: true });
      },
    };
  }) satisfies MakeStorage;
}
