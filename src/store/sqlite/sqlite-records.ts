import type { RecordDatabase, Row, Statement } from '../records/record-database.ts';
import type { Prepare, SqliteDatabase } from './sqlite-database.ts';

/** The records in the file of the sessions. */
export function sqliteRecords(database: SqliteDatabase): RecordDatabase {
  return {
    read: (statement) => database.read((prepare) => run(prepare, statement)),
    write: (...statements) => database.write((prepare) => statements.map((statement) => run(prepare, statement))),
  };
}

const ours = new Map<string, string>();

function run(prepare: Prepare, [sql, ...values]: Statement): Row[] {
  const text = ours.get(sql) ?? sql.replaceAll('dsh.', '').replaceAll(/\$(\d+)/g, '?$1');
  ours.set(sql, text);
  return prepare(text).all(...values) as Row[];
}
