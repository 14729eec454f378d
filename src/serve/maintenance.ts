import type { ConfigFile } from '../config/config-file.ts';
import { mergeConfig } from '../config/merge-config.ts';
import type { Bot } from '../create-bot.ts';
import type { Sweep } from '../store/timetable.ts';
import { redeliverMissed } from './missed-deliveries.ts';
import type { MissedOptions } from './missed-deliveries.ts';
import { sweepPeople } from './sweep-people.ts';
import type { SweepPeopleOptions } from './sweep-people.ts';

export interface MaintenanceOptions {
  readonly bot: Bot;
  readonly host: SweepPeopleOptions['host'];
  readonly operator: ConfigFile;
  /** With the rights of the App itself. */
  readonly octokit: MissedOptions['github'];
  readonly now: () => Date;
}

/** A thumb on what a parked session asks is seen after so long (A4). */
const PEOPLE_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** GitHub sends nothing again that is older; what is done is known by its id until then (T6). */
const KNOWN_MS = 30 * DAY_MS;
/** A comment may be edited long after: what it asked for once is not done a second time within a year (T5). */
const CAUSES_MS = 365 * DAY_MS;
/** Who held a lease and was suspended for longer wakes up to leases that count anew. */
const LEASES_MS = 30 * DAY_MS;

/** What the App does from time to time, and once at its start. */
export function maintenance({ bot, host, operator, octokit, now }: MaintenanceOptions): Sweep[] {
  const { inbox, causes, settings } = bot.records;
  const before = (ageMs: number) => now().getTime() - ageMs;
  return [
    { name: 'people', everyMs: PEOPLE_MS, run: (signal) => sweepPeople({ bot, host }, signal) },
    {
      name: 'missed-deliveries',
      everyMs: HOUR_MS,
      run: (signal) => redeliverMissed({ github: octokit, inbox, now }, signal),
    },
    { name: 'leftovers', everyMs: HOUR_MS, scope: 'machine', run: () => bot.sweepLeftovers() },
    { name: 'known-deliveries', everyMs: DAY_MS, run: () => inbox.prune(before(KNOWN_MS)) },
    { name: 'old-causes', everyMs: DAY_MS, run: () => causes.prune(before(CAUSES_MS)) },
    { name: 'old-leases', everyMs: DAY_MS, run: () => bot.leaseTerms.leases.prune(LEASES_MS) },
    {
      name: 'retention',
      everyMs: HOUR_MS,
      run: async () => {
        const { archivedDays } = mergeConfig(operator).retention;
        for (const session of await settings.archivedBefore(before(archivedDays * DAY_MS)))
          await settings.erase(session);
      },
    },
  ];
}
