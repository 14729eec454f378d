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

const READ = 'begin isolation level repeatable read read only';
/** What a write looks at has to be from after its wait for a lock, whatever the database has as its default. */
const WRITE = 'begin isolation level read committed';

/** Connections to our schema, made when first needed and shared by everything in the process. */
export class PostgresDatabase {
  readonly #config: PostgresConfig;
  #pool: Promise<Pool> | undefined;

  constructor(config: PostgresConfig) {
    this.#config = config;
  }

  /** Reads one state of the database, whatever others write meanwhile. */
  read<T>(work: Work<T>): Promise<T> {
    return this.#transaction(READ, work);
  }

  /** Stores all that `work` writes, or nothing; durable when it resolves. */
  write<T>(work: Work<T>): Promise<T> {
    return this.#transaction(WRITE, work);
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
    await inTransaction(await connect(pool), WRITE, ensureSchema);
    return pool;
  } catch (error) {
    await pool.end();
    throw (error as { code?: unknown }).code === NO_RIGHT ? noTables(error) : error;
  }
}

const NO_RIGHT = '42501';
const READ_ONLY = '25006';

/** Counts as away: once somebody has granted it, everything that came in meanwhile goes on. */
function noTables(cause: unknown): DshError {
  const hint =
    'Let the user of DATABASE_URL make a schema (`grant create on database …`), or make it for him: `create schema dsh authorization …`.';
  const message = 'The user of DATABASE_URL may not make or change the tables of schema "dsh".';
  return new DshError(message, 'DATABASE_UNAVAILABLE', hint, { cause });
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw unavailable(cause);
  }
}

/**
 * Connections that break tell no code of the server. Of those it tells: connections, out of room, ended from outside or by a
 * limit of time, input and output, read-only after a failover, deadlocks.
 */
const OUTAGES = /^(08|53|57|58|25006|40001|40P01|55P03|E(?!RR_))/;

function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return Error.isError(error) && (code === undefined || OUTAGES.test(String(code)));
}

/** What the server says names hosts and users: it stays in the cause, since `/readyz` shows the message to everybody. */
function unavailable(cause: unknown): DshError {
  const hint =
    'Check that the server of DATABASE_URL runs and takes this user, or unset DATABASE_URL to store in a file.';
  const isReadOnly = (cause as { code?: unknown }).code === READ_ONLY;
  const message = isReadOnly
    ? 'The PostgreSQL database takes no writes: it is in a read-only transaction.'
    : 'The PostgreSQL database cannot be reached.';
  return new DshError(message, 'DATABASE_UNAVAILABLE', hint, { cause });
}

async function inTransaction<T>(client: PoolClient, begin: string, work: Work<T>): Promise<T> {
  const query: Query = async <R extends QueryResultRow>(sql: string, values?: unknown[]) => {
    try {
      return (await client.query<R>(sql, values)).rows;
    } catch (error) {
      throw isOutage(error) ? unavailable(error) : error;
    }
  };
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
