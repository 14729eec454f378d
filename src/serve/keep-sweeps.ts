import type { Bot } from '../create-bot.ts';
import type { Sweep, Timetable } from '../store/timetable.ts';
import { Sweeper } from './sweeper.ts';

interface Parts {
  readonly bot: Pick<Bot, 'leaseTerms' | 'sharedTimetable'>;
  readonly log: (message: string, error?: unknown) => void;
}

/** Begins what is due from time to time: by a timer here, but by one timetable for all where the store can keep it. */
export function keepSweeps(sweeps: readonly Sweep[], { bot, log }: Parts): Timetable {
  const shared = bot.sharedTimetable && sweeps.filter(({ scope }) => scope !== 'machine');
  const here = sweeps.filter((sweep) => !shared?.includes(sweep));
  const byTimer = (some: readonly Sweep[]): Timetable => {
    const sweeper = new Sweeper({ sweeps: some, terms: bot.leaseTerms, log });
    sweeper.start();
    return sweeper;
  };
  const byAll = shared && bot.sharedTimetable!({ sweeps: shared, log, otherwise: () => byTimer(shared) });
  const tables = [byTimer(here), ...(byAll ? [byAll] : [])];
  return {
    whenIdle: async () => void (await Promise.all(tables.map((table) => table.whenIdle()))),
    stop: async () => void (await Promise.all(tables.map((table) => table.stop()))),
  };
}
