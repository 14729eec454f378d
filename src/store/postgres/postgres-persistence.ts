import type { Plugin } from '../../harness/kernel/context.ts';
import { providePersistence } from '../provide-persistence.ts';
import { PostgresBackend } from './postgres-backend.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { PostgresConfig } from './postgres-database.ts';

export type { PostgresConfig } from './postgres-database.ts';

/** Stores every live session in a PostgreSQL database. */
export const postgresPersistence: Plugin<PostgresConfig> = {
  name: 'postgres-persistence',
  inject: ['sessions'],
  apply: (ctx, config) => {
    const database = new PostgresDatabase(config);
    ctx.effect(() => () => database.close(), 'connections to PostgreSQL');
    providePersistence(ctx, new PostgresBackend(database));
  },
};
