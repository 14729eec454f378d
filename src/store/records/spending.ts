import type { Spending } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** Tallies by day, as a table; of one that is counted by other periods only the present one is kept. */
export function spendingIn(database: RecordDatabase): Spending {
  return {
    add: async (tally, amount, at) => void (await database.write([ADD, tally, periodOf(at, DAY_MS), amount])),
    spent: async (tally, at) => Number((await database.read([SPENT, tally, periodOf(at, DAY_MS)]))[0]?.['amount'] ?? 0),
    count: async (tally, periodMs, at) => {
      const period = periodOf(at, periodMs);
      const [, rows] = await database.write([FORGET, tally, period], [ADD, tally, period, 1]);
      return Number(rows![0]!['amount']);
    },
  };
}

const ADD = `
insert into dsh.spending (tally, day, amount) values ($1, $2, $3)
on conflict (tally, day) do update set amount = spending.amount + excluded.amount returning amount`;
const SPENT = 'select amount from dsh.spending where tally = $1 and day = $2';
const FORGET = 'delete from dsh.spending where tally = $1 and day < $2';

const DAY_MS = 86_400_000;

/** How many such periods lie between the epoch and this one, in UTC. */
function periodOf(at: number, periodMs: number): number {
  return Math.floor(at / periodMs);
}
