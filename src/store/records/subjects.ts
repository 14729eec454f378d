import { SessionId } from '../../harness/session/types.ts';
import type { Subjects } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** Issues and pull requests with their sessions, as a table. */
export function subjectsIn(database: RecordDatabase): Subjects {
  return {
    sessionOf: async (repo, number) => {
      const [row] = await database.read([SESSION, repo, number]);
      return row && SessionId(String(row['session_id']));
    },
    assign: async (repo, number, session) => void (await database.write([ASSIGN, repo, number, session])),
    of: async (session) => {
      const rows = await database.read([OF, session]);
      return rows.map((row) => ({ repo: Number(row['repo']), number: Number(row['number']) }));
    },
  };
}

const SESSION = 'select session_id from dsh.subjects where repo = $1 and number = $2';
const ASSIGN = `
insert into dsh.subjects (repo, number, session_id) values ($1, $2, $3)
on conflict (repo, number) do update set session_id = excluded.session_id`;
const OF = 'select repo, number from dsh.subjects where session_id = $1 order by repo, number';
