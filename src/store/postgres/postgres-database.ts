import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DshError } from '../../errors.ts';
import { ensureSchema } from './schema.ts';

export interface PostgresConfig {
  /** `postgres://user:password@host/database`. Our tables are in its schema `dsh`. */
  url: string;
}

/** Runs one statement, and gives its rows. */
export type Query = <R extends QueryResultRow>(sql: string, values?: unknown[]) => Promise<R[]>;
type Work<T> = (query: Query) => Promise<T>;

/** Of each worker; a server takes a hundred by default. */
const CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to our schema, made when first needed and shared by everything in the process. */
export class PostgresDatabase {
  readonly #config: PostgresConfig;
  #pool: Promise<Pool> | undefined;

  constructor(config: PostgresConfig) {
    this.#config = config;
  }

  /** Reads one state of the database, whatever others write meanwhile. */
  read<T>(work: Work<T>): Promise<T> {
    return this.#transaction('begin isolation level repeatable read read only', work);
  }

  /** Stores all that `work` writes, or nothing; durable when it resolves. */
  write<T>(work: Work<T>): Promise<T> {
    return this.#transaction('begin', work);
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #transaction<T>(begin: string, work: Work<T>): Promise<T> {
    this.#pool ??= openPool(this.#config);
    // A server that was away for a moment must not be thought away for good.
    this.#pool.catch(() => (this.#pool = undefined));
    return inTransaction(await connect(await this.#pool), begin, work);
  }
}

async function openPool({ url }: PostgresConfig): Promise<Pool> {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced; unheard, its error would end the process.
  pool.on('error', () => {});
  try {
    await inTransaction(await connect(pool), 'begin', ensureSchema);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const hint =
      'Check that the server of DATABASE_URL runs and takes this user, or unset DATABASE_URL to store in a file.';
    throw new DshError('The PostgreSQL database cannot be reached.', 'DATABASE_UNAVAILABLE', hint, { cause });
  }
}

async function inTransaction<T>(client: PoolClient, begin: string, work: Work<T>): Promise<T> {
  const query: Query = async <R extends QueryResultRow>(sql: string, values?: unknown[]) =>
    (await client.query<R>(sql, values)).rows;
  let broken: Error | undefined;
  // A connection may break between two statements; unheard, that would end the process. The next statement fails by it.
  const onBroken = (error: Error) => void (broken = error);
  client.on('error', onBroken);
  try {
    await query(begin);
    const result = await work(query);
    await query('commit');
    return result;
  } catch (error) {
    await query('rollback').catch((reason: Error) => (broken = reason));
    throw error;
  } finally {
    client.off('error', onBroken);
    client.release(broken);
  }
}
