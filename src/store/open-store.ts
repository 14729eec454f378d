import { join } from 'node:path';
import type { Plugin } from '../harness/kernel/context.ts';
import type { SessionPersistence } from '../harness/session/persistence.ts';
import { CoordinatedPersistence } from './coordinated-persistence.ts';
import type { EpochOf, SessionLeases } from './lease.ts';
import type { PersistenceBackend } from './persistence-backend.ts';
import { PersistenceCoordinator } from './persistence-coordinator.ts';
import { listenForNews } from './postgres/listen-for-news.ts';
import { PostgresBackend } from './postgres/postgres-backend.ts';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import { PostgresLeases } from './postgres/postgres-leases.ts';
import { postgresRecords } from './postgres/postgres-records.ts';
import { SharedTimetable } from './postgres/shared-timetable.ts';
import type { SharedTimetableOptions } from './postgres/shared-timetable.ts';
import { providePersistence } from './provide-persistence.ts';
import type { Records } from './records.ts';
import { openRecords } from './records/open-records.ts';
import { probeWrite } from './records/probe-write.ts';
import { SqliteBackend } from './sqlite/sqlite-backend.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteLeases } from './sqlite/sqlite-leases.ts';
import { sqliteRecords } from './sqlite/sqlite-records.ts';
import type { Timetable } from './timetable.ts';

export interface StoreConfig {
  /** Holds the file `dsh.sqlite`, unless there is a `databaseUrl`. */
  readonly dataDir: string;
  /** A PostgreSQL database, for many workers. */
  readonly databaseUrl: string | undefined;
  readonly now: () => Date;
}

/** Where a process keeps its sessions: one database behind every kernel it opens. */
export interface Store {
  /** For whoever only reads. */
  readonly sessions: SessionPersistence;
  readonly leases: SessionLeases;
  readonly records: Records;
  /** Writes something small all the way to the disk. Rejects where nothing can be stored. */
  probe(): Promise<void>;
  /** Calls when another process took in a delivery; returns what ends it. */
  onNews(listener: () => void): () => Promise<void>;
  /** One timetable for all processes that share the store, where it can keep one. */
  readonly sharedTimetable?: (options: Omit<SharedTimetableOptions, 'url'>) => Timetable;
  /** Stores the live sessions of a kernel; `epochOf` where they are under a lease. */
  persistence(epochOf?: EpochOf): Plugin<void>;
  close(): Promise<void>;
}

/** Throws `PersistenceError` `FOREIGN_FORMAT` if the file is not ours; a server is asked at the first use. */
export function openStore({ dataDir, databaseUrl, now }: StoreConfig): Store {
  if (databaseUrl === undefined) return openSqliteStore(join(dataDir, 'dsh.sqlite'), now);
  const database = new PostgresDatabase({ url: databaseUrl });
  const tables = postgresRecords(database);
  return storeOf({
    database,
    leases: new PostgresLeases(database),
    records: openRecords(tables, () => now().getTime()),
    probe: () => probeWrite(tables),
    onNews: (listener) => listenForNews(databaseUrl, listener),
    sharedTimetable: (options) => new SharedTimetable({ ...options, url: databaseUrl }),
    backend: (epochOf) => new PostgresBackend(database, epochOf),
  });
}

/** A store that ends with the process that made it. */
export function openMemoryStore(now: () => Date): Store {
  return openSqliteStore(':memory:', now);
}

function openSqliteStore(path: string, now: () => Date): Store {
  const database = new SqliteDatabase({ path });
  const tables = sqliteRecords(database);
  const time = () => now().getTime();
  return storeOf({
    database,
    leases: new SqliteLeases(database, time),
    records: openRecords(tables, time),
    probe: () => probeWrite(tables),
    // A file tells nobody; its readers look again.
    onNews: () => async () => {},
    backend: (epochOf) => new SqliteBackend(database, epochOf),
  });
}

interface StoreParts extends Pick<Store, 'leases' | 'records' | 'probe' | 'onNews' | 'sharedTimetable'> {
  readonly database: { close(): Promise<void> };
  readonly backend: (epochOf?: EpochOf) => PersistenceBackend<number>;
}

function storeOf({ database, backend, ...services }: StoreParts): Store {
  const reader = backend();
  return {
    sessions: new CoordinatedPersistence(reader, new PersistenceCoordinator(reader)),
    ...services,
    persistence: (epochOf) => ({
      name: `${reader.name}-persistence`,
      inject: ['sessions'],
      apply: (ctx) => providePersistence(ctx, backend(epochOf)),
    }),
    close: () => database.close(),
  };
}
