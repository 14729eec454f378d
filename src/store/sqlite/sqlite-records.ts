import type { SessionId } from '../../harness/session/types.ts';
import type { Lease } from '../lease.ts';
import type { RecordDatabase, Row, Statement } from '../records/record-database.ts';
import { assertHeld } from '../rows/write-errors.ts';
import { currentEpoch, endLease } from './lease-epoch.ts';
import type { Prepare, SqliteDatabase } from './sqlite-database.ts';

interface Terms {
  /** Of who writes. */
  readonly lease?: Lease;
  /** Whose own lease ends with each write. */
  readonly ended?: SessionId;
}

/** The records in the file of the sessions; with a lease for who writes them under it. */
export function sqliteRecords(database: SqliteDatabase, { lease, ended }: Terms = {}): RecordDatabase {
  return {
    read: (statement) => database.read((prepare) => run(prepare, statement)),
    write: (...statements) =>
      database.write((prepare) => {
        if (lease) assertHeld(lease, currentEpoch(prepare, lease.session));
        if (ended !== undefined) endLease(prepare, ended);
        return statements.map((statement) => run(prepare, statement));
      }),
    under: (held) => sqliteRecords(database, { lease: held }),
    ending: (session) => sqliteRecords(database, { ...(lease && { lease }), ended: session }),
  };
}

const ours = new Map<string, string>();

function run(prepare: Prepare, [sql, ...values]: Statement): Row[] {
  const text = ours.get(sql) ?? sql.replaceAll('dsh.', '').replaceAll(/\$(\d+)/g, '?$1');
  ours.set(sql, text);
  return prepare(text).all(...values) as Row[];
}
