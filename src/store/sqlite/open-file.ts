import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PersistenceError } from '../persistence-error.ts';
import { inTransaction } from './in-transaction.ts';
import { FROM_VERSION_1, SCHEMA, SCHEMA_VERSION } from './schema.ts';

export interface SqliteConfig {
  /** File of all sessions, made when it is missing; or `:memory:`. */
  path: string;
  journalMode?: 'wal' | 'delete' | 'truncate' | 'persist';
}

/** How long opening may wait for another process that is just making the tables. */
const OPEN_TIMEOUT_MS = 10_000;
const NOT_A_DATABASE = 26;

/** Opens the file of our tables. Any other file is refused as it is. Throws `PersistenceError` `FOREIGN_FORMAT`. */
export function openFile({ path, journalMode = 'wal' }: SqliteConfig): DatabaseSync {
  if (path !== ':memory:') makePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
  try {
    assertOurs(db, path);
    db.exec(`pragma journal_mode = ${journalMode}`);
    inTransaction(db, () => {
      const found = assertOurs(db, path);
      if (found === 'empty') db.exec(SCHEMA);
      if (found === 'version 1') db.exec(FROM_VERSION_1);
    });
    db.exec('pragma busy_timeout = 0');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What SQLite makes beside the file gets the rights of the file. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

function assertOurs(db: DatabaseSync, path: string): 'empty' | 'version 1' | 'current' {
  const { version, tables } = versionOf(db, path);
  if (version === SCHEMA_VERSION) return 'current';
  if (version === 1) return 'version 1';
  if (version === 0 && tables === 0) return 'empty';
  throw foreign(`${path} has schema version ${version} with ${tables} tables; this program reads ${SCHEMA_VERSION}`);
}

function versionOf(db: DatabaseSync, path: string): { version: number; tables: number } {
  try {
    const sql =
      'select (select user_version from pragma_user_version) as version, count(*) as tables from sqlite_schema';
    return db.prepare(sql).get() as { version: number; tables: number };
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode !== NOT_A_DATABASE) throw cause;
    throw foreign(`${path} is not an SQLite database`, cause);
  }
}

function foreign(message: string, cause?: unknown): PersistenceError {
  return new PersistenceError(message, 'FOREIGN_FORMAT', { cause });
}
