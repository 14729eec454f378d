import { join } from 'node:path';
import type { Plugin } from '../harness/kernel/context.ts';
import type { SessionPersistence } from '../harness/session/persistence.ts';
import { CoordinatedPersistence } from './coordinated-persistence.ts';
import type { EpochOf, SessionLeases } from './lease.ts';
import type { PersistenceBackend } from './persistence-backend.ts';
import { PersistenceCoordinator } from './persistence-coordinator.ts';
import { PostgresBackend } from './postgres/postgres-backend.ts';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import { PostgresLeases } from './postgres/postgres-leases.ts';
import { providePersistence } from './provide-persistence.ts';
import { SqliteBackend } from './sqlite/sqlite-backend.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteLeases } from './sqlite/sqlite-leases.ts';

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
  /** Stores the live sessions of a kernel; `epochOf` where they are under a lease. */
  persistence(epochOf?: EpochOf): Plugin<void>;
  close(): Promise<void>;
}

/** Throws `PersistenceError` `FOREIGN_FORMAT` if the file is not ours; a server is asked at the first use. */
export function openStore({ dataDir, databaseUrl, now }: StoreConfig): Store {
  if (databaseUrl !== undefined) {
    const database = new PostgresDatabase({ url: databaseUrl });
    return storeOf(database, new PostgresLeases(database), (epochOf) => new PostgresBackend(database, epochOf));
  }
  const database = new SqliteDatabase({ path: join(dataDir, 'dsh.sqlite') });
  const leases = new SqliteLeases(database, () => now().getTime());
  return storeOf(database, leases, (epochOf) => new SqliteBackend(database, epochOf));
}

function storeOf(
  database: { close(): Promise<void> },
  leases: SessionLeases,
  backend: (epochOf?: EpochOf) => PersistenceBackend<number>,
): Store {
  const reader = backend();
  return {
    sessions: new CoordinatedPersistence(reader, new PersistenceCoordinator(reader)),
    leases,
    persistence: (epochOf) => ({
      name: `${reader.name}-persistence`,
      inject: ['sessions'],
      apply: (ctx) => providePersistence(ctx, backend(epochOf)),
    }),
    close: () => database.close(),
  };
}
