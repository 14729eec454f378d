import type { Spending } from '../records.ts';
import type { RecordDatabase } from './record-database.ts';

/** Tallies by day, as a table. */
export function spendingIn(database: RecordDatabase): Spending {
  return {
    add: async (tally, amount, at) => void (await database.write([ADD, tally, dayOf(at), amount])),
    spent: async (tally, at) => Number((await database.read([SPENT, tally, dayOf(at)]))[0]?.['amount'] ?? 0),
  };
}

const ADD = `
insert into dsh.spending (tally, day, amount) values ($1, $2, $3)
on conflict (tally, day) do update set amount = spending.amount + excluded.amount`;
const SPENT = 'select amount from dsh.spending where tally = $1 and day = $2';

/** Days since the epoch, in UTC. */
function dayOf(at: number): number {
  return Math.floor(at / 86_400_000);
}
