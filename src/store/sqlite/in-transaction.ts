import type { DatabaseSync } from 'node:sqlite';

/**
 * All of `work` is stored, or nothing. The right to write is taken at the start: a transaction that begins by reading
 * cannot always get it later.
 */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate');
  try {
    const result = work();
    db.exec('commit');
    return result;
  } catch (error) {
    // A full disk has ended the transaction already; any other error leaves it open.
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}
