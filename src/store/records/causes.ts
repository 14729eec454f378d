import type { Causes } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** Causes as a table: the first who writes one has it. */
export function causesIn(database: RecordDatabase, now: () => number): Causes {
  return {
    take: async (repo, cause, delivery) => {
      const [rows] = await database.write([TAKE, repo, cause, delivery, now()]);
      return String(rows![0]!['delivery']);
    },
    holder: async (repo, cause) => {
      const [row] = await database.read([HOLDER, repo, cause]);
      return row && String(row['delivery']);
    },
    prune: async (before) => {
      const [, gone] = await database.write([DATE, now()], [PRUNE, before]);
      return gone!.length;
    },
    of: async (repo) =>
      (await database.read([OF, repo])).map(({ cause, delivery }) => ({
        cause: String(cause),
        delivery: String(delivery),
      })),
  };
}

const TAKE = `
insert into dsh.causes (repo, cause, delivery, taken_at) values ($1, $2, $3, $4)
on conflict (repo, cause) do update set delivery = causes.delivery returning delivery`;
const HOLDER = 'select delivery from dsh.causes where repo = $1 and cause = $2';
const OF = 'select cause, delivery from dsh.causes where repo = $1 order by cause';
/** Those of older versions begin to age when they are first looked through. */
const DATE = 'update dsh.causes set taken_at = $1 where taken_at is null';
const PRUNE = 'delete from dsh.causes where taken_at < $1 returning cause';
