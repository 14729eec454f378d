import type { Causes } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** Causes as a table: the first who writes one has it. */
export function causesIn(database: RecordDatabase): Causes {
  return {
    take: async (repo, cause, delivery) => {
      const [rows] = await database.write([TAKE, repo, cause, delivery]);
      return String(rows![0]!['delivery']);
    },
    holder: async (repo, cause) => {
      const [row] = await database.read([HOLDER, repo, cause]);
      return row && String(row['delivery']);
    },
  };
}

const TAKE = `
insert into dsh.causes (repo, cause, delivery) values ($1, $2, $3)
on conflict (repo, cause) do update set delivery = causes.delivery returning delivery`;
const HOLDER = 'select delivery from dsh.causes where repo = $1 and cause = $2';
