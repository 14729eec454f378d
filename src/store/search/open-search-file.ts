import type { DatabaseSync } from 'node:sqlite';
import { PersistenceError } from '../persistence-error.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import { openPrivateFile } from '../sqlite/open-private-file.ts';
import { LIVE_SCHEMA, SEARCH_APPLICATION_ID, SEARCH_SCHEMA, SEARCH_VERSION } from './search-schema.ts';

/** How long one process may wait for another that is writing the index. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the file of the index, made when it is missing. A file that is not an index is refused as it is, above all the
 * store of the sessions themselves. Throws `PersistenceError` `FOREIGN_FORMAT`.
 */
export function openSearchFile(path: string): DatabaseSync {
  return openPrivateFile(path, BUSY_TIMEOUT_MS, (db) => {
    assertOurs(db, path);
    db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory');
    inTransaction(db, () => {
      const found = assertOurs(db, path);
      if (found === 'outdated') empty(db);
      if (found !== 'current') db.exec(SEARCH_SCHEMA);
    });
    db.exec(LIVE_SCHEMA);
  });
}

function assertOurs(db: DatabaseSync, path: string): 'empty' | 'outdated' | 'current' {
  const { application, version, tables } = factsOf(db, path);
  if (application === 0 && version === 0 && tables === 0) return 'empty';
  if (application !== SEARCH_APPLICATION_ID) throw foreign(path);
  return version === SEARCH_VERSION ? 'current' : 'outdated';
}

const FACTS = `
select (select application_id from pragma_application_id) as application,
  (select user_version from pragma_user_version) as version, count(*) as tables from sqlite_schema`;

function factsOf(db: DatabaseSync, path: string): { application: number; version: number; tables: number } {
  try {
    return db.prepare(FACTS).get() as { application: number; version: number; tables: number };
  } catch (cause) {
    throw foreign(path, cause);
  }
}

/** The tables behind a full-text table go with it. */
function empty(db: DatabaseSync): void {
  const names = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'words_%'").all();
  for (const { name } of names) db.exec(`drop table "${String(name).replaceAll('"', '""')}"`);
}

function foreign(path: string, cause?: unknown): PersistenceError {
  return new PersistenceError(`${path} is no search index and was left as it is`, 'FOREIGN_FORMAT', { cause });
}
