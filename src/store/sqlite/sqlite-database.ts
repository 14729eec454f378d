import { basename } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { DshError } from '../../errors.ts';
import { inTransaction } from './in-transaction.ts';
import { openFile } from './open-file.ts';
import type { SqliteConfig } from './open-file.ts';
import { OpenedFiles } from './opened-files.ts';

/** Prepares a statement, once for each text. */
export type Prepare = (sql: string) => StatementSync;
type Work<T> = (prepare: Prepare) => T;

interface Write {
  readonly work: Work<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One connection to our file, shared by everything in the process that keeps something in it. */
export class SqliteDatabase {
  readonly #db: DatabaseSync;
  readonly #files: OpenedFiles;
  readonly #statements = new Map<string, StatementSync>();
  #waiting: Write[] = [];
  #writing: Promise<void> | undefined;

  /** Throws `PersistenceError` `FOREIGN_FORMAT` if the file is not ours. */
  constructor(config: SqliteConfig) {
    this.#db = openFile(config);
    this.#files = new OpenedFiles(config.path);
  }

  /** Reads one state of the database, whatever others write meanwhile. */
  read<T>(work: Work<T>): Promise<T> {
    return whenFree(() => {
      this.#db.exec('begin');
      try {
        return work(this.#prepare);
      } finally {
        if (this.#db.isTransaction) this.#db.exec('rollback');
      }
    });
  }

  /**
   * Stores all that `work` writes, or nothing; durable when it resolves. What is asked for in one tick is committed
   * together. `work` may run again, so it may do nothing but read and write here.
   */
  write<T>(work: Work<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ work, resolve: resolve as Write['resolve'], reject });
    this.#writing ??= this.#writeAll();
    return promise;
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#statements.clear();
    this.#db.close();
  }

  readonly #prepare: Prepare = (sql) => {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  };

  async #writeAll(): Promise<void> {
    await setImmediate();
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0));
    this.#writing = undefined;
  }

  /** A failure must not cost the others of its tick: then each is tried alone. */
  async #commit(writes: readonly Write[]): Promise<void> {
    try {
      const run = () => writes.map(({ work }) => work(this.#prepare));
      const values = await whenFree(() => {
        this.#assertInPlace();
        return inTransaction(this.#db, run);
      });
      writes.forEach(({ resolve }, index) => resolve(values[index]));
    } catch (error) {
      if (writes.length === 1) return writes[0]!.reject(error);
      for (const write of writes) await this.#commit([write]);
    }
  }

  /**
   * What was stored before goes from the write-ahead log into its file as long as that can be reached; and what is put in
   * place of the file must not meet the log of another one.
   */
  #assertInPlace(): void {
    const { lost } = this.#files;
    if (lost === undefined) return;
    this.#db.exec('pragma wal_checkpoint(truncate)');
    throw replaced(lost);
  }
}

/** Counts as away: what comes in meanwhile is not given up. */
function replaced(path: string): DshError {
  const hint = 'Restart the process: it has the file open that was there before, and stores nothing in it any more.';
  return new DshError(
    `${basename(path)} was replaced or taken away while it was in use.`,
    'DATABASE_UNAVAILABLE',
    hint,
  );
}

const BUSY = 5;
/** Longest wait for other processes, in total. */
const BUSY_LIMIT_MS = 30_000;

/** SQLite's own wait would block the process; this one lets everything else go on. */
async function whenFree<T>(act: () => T): Promise<T> {
  for (let waited = 0, wait = 1; ; wait = Math.min(wait * 2, 20)) {
    try {
      return act();
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number };
      if ((errcode & 0xff) !== BUSY || waited >= BUSY_LIMIT_MS) throw error;
    }
    const pause = wait * (0.5 + Math.random());
    await setTimeout(pause);
    waited += pause;
  }
}
