import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpochOf } from '../../src/store/lease.ts';
import { SqliteBackend } from '../../src/store/sqlite/sqlite-backend.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import type { SqliteConfig } from '../../src/store/sqlite/sqlite-persistence.ts';
import type { ContractStorage, MakeStorage } from './contract-storage.ts';

export interface SqliteStorage extends ContractStorage {
  readonly path: string;
  /** A connection as a new process would make it. */
  connect(): SqliteDatabase;
  open(epochOf?: EpochOf): SqliteBackend;
  /** Runs one statement behind our back and returns what it answers. */
  query(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[];
}

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
    const tear = `insert into events select id, (select max(seq) + 1 from events where session_id = id), 'todo/write', 1,
      '{"todos":[', null, null from sessions where id = ?`;
    return {
      ...{ path, connect, query },
      open: (epochOf?: EpochOf) => new SqliteBackend(connect(), epochOf),
      tear: async (meta) => void query(tear, meta.id),
      dispose: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
        await rm(folder, { recursive: true, force: true });
      },
    };
  }) satisfies MakeStorage;
}
