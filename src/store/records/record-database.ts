import type { SessionId } from '../../harness/session/types.ts';
import type { Lease } from '../lease.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, unknown>;

/** One statement in the language that both databases read: `dsh.` before our tables, `$1` for the first value. */
export type Statement = readonly [sql: string, ...values: SqlValue[]];

/** The tables beside the session logs, in whichever database keeps them. Large integers may come back as text. */
export interface RecordDatabase {
  read(statement: Statement): Promise<Row[]>;
  /** All of it or nothing, durable when it resolves. The rows of each statement. */
  write(...statements: Statement[]): Promise<Row[][]>;
  /** The same tables for who holds this lease: once another one took it, each write is refused in its own transaction. */
  under(lease: Lease): RecordDatabase;
  /** The same tables for what ends a session: each write also ends, in its transaction, the lease of who writes the session. */
  ending(session: SessionId): RecordDatabase;
}
