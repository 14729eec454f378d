import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a database in a file that only its owner may read, made when it is missing; `:memory:` has none. What `prepare`
 * throws closes it again.
 */
export function openPrivateFile(path: string, timeoutMs: number, prepare: (db: DatabaseSync) => void): DatabaseSync {
  if (path !== ':memory:') makePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    prepare(db);
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
