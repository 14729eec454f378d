import type { DatabaseSync } from 'node:sqlite';
import { PersistenceError } from '../persistence-error.ts';
import { inTransaction } from './in-transaction.ts';
import { openPrivateFile } from './open-private-file.ts';
import { SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.ts';

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
  return openPrivateFile(path, OPEN_TIMEOUT_MS, (db) => {
    missingIn(db, path);
    db.exec(`pragma journal_mode = ${journalMode}`);
    inTransaction(db, () => {
      const missing = missingIn(db, path);
      if (missing !== undefined) db.exec(missing);
    });
    // What is erased is gone from the file, too, and not only from its tables.
    db.exec('pragma secure_delete = on; pragma busy_timeout = 0');
  });
}

/** What makes the tables what they should be; undefined where they are. */
function missingIn(db: DatabaseSync, path: string): string | undefined {
  const { version, tables } = versionOf(db, path);
  if (version === SCHEMA_VERSION) return undefined;
  const missing = version === 0 && tables === 0 ? SCHEMA : UPGRADES.get(version);
  if (missing !== undefined) return missing;
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
