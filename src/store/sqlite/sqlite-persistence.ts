import type { Plugin } from '../../harness/kernel/context.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { CoordinatedPersistence } from '../coordinated-persistence.ts';
import { PersistenceCoordinator } from '../persistence-coordinator.ts';
import { providePersistence } from '../provide-persistence.ts';
import type { SqliteConfig } from './open-file.ts';
import { SqliteBackend } from './sqlite-backend.ts';
import { SqliteDatabase } from './sqlite-database.ts';

export type { SqliteConfig } from './open-file.ts';

/** Stores every live session in one file. */
export const sqlitePersistence: Plugin<SqliteConfig> = {
  name: 'sqlite-persistence',
  inject: ['sessions'],
  apply: (ctx, config) => {
    const database = new SqliteDatabase(config);
    ctx.effect(() => () => database.close(), `connection to ${config.path}`);
    providePersistence(ctx, new SqliteBackend(database));
  },
};

/** Sessions of a file without a kernel: for tools that only read, export or import. */
export function openSqliteSessions(config: SqliteConfig): SessionPersistence & AsyncDisposable {
  const database = new SqliteDatabase(config);
  const backend = new SqliteBackend(database);
  const persistence = new CoordinatedPersistence(backend, new PersistenceCoordinator(backend));
  return Object.assign(persistence, { [Symbol.asyncDispose]: () => database.close() });
}
