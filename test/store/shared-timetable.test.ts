import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { cronOf } from '../../src/store/postgres/cron-of.ts';
import { SharedTimetable } from '../../src/store/postgres/shared-timetable.ts';
import type { Sweep, Timetable } from '../../src/store/timetable.ts';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';

const cluster: Cluster | undefined = await startCluster();
afterAll(() => cluster?.stop());

const MINUTE_MS = 60_000;

const withPostgres = cluster ? it : it.skip;
const kept: SharedTimetable[] = [];
const logged: [message: string, error: unknown][] = [];
afterEach(async () => {
  await Promise.all(kept.splice(0).map((timetable) => timetable.stop()));
  logged.length = 0;
});
let instead: Timetable | undefined;
const keep = (url: string, ...sweeps: Sweep[]): SharedTimetable => {
  const timetable = new SharedTimetable({
    ...{ url, sweeps, log: (...entry) => logged.push(entry as [string, unknown]) },
    otherwise: () => {
      if (!instead) throw new Error('it is kept by all');
      return instead;
    },
  });
  kept.push(timetable);
  return timetable;
};
/** The same database for somebody who may make no schema there. */
const poorUser = async (url: string): Promise<string> => {
  await cluster!.run(url, 'create role poor login');
  return url.replace('user=dsh', 'user=poor');
};
const schedules = async (url: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select name, cron from dsh_timetable.schedule order by name');
  await client.end();
  return rows;
};

describe('bot-human-loop', () => {
  withPostgres(
    'A5 of many processes that share a database one does a sweep, at the start and by its schedule',
    async () => {
      const url = await cluster!.createDatabase();
      let running = 0;
      let most = 0;
      let runs = 0;
      const parked: Sweep = {
        name: 'parked',
        everyMs: 5 * MINUTE_MS,
        run: async () => {
          most = Math.max(most, (running += 1));
          runs += 1;
          await sleep(300);
          running -= 1;
        },
      };
      await Promise.all([1, 2, 3].map(() => keep(url, parked).whenIdle()));

      expect(runs).toBeGreaterThanOrEqual(1);
      expect(most).toBe(1);
      expect(await schedules(url)).toEqual([{ name: 'sweep-parked', cron: '*/5 * * * *' }]);
    },
  );

  withPostgres(
    'A5 what fails is told, holds up no other, and tells the database nothing of what was thrown',
    async () => {
      const url = await cluster!.createDatabase();
      let runs = 0;
      await keep(
        url,
        { name: 'broken', everyMs: MINUTE_MS, run: () => Promise.reject(new Error('token ghs_secret')) },
        { name: 'sound', everyMs: MINUTE_MS, run: async () => void (runs += 1) },
      ).whenIdle();

      expect(runs).toBe(1);
      expect(logged).toEqual([['broken failed', new Error('token ghs_secret')]]);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query('select state, output::text from dsh_timetable.job where name = $1', [
        'sweep-broken',
      ]);
      await client.end();
      expect(rows).toEqual([{ state: 'failed', output: expect.stringContaining('broken failed') }]);
      expect(rows[0].output).not.toContain('ghs_secret');
    },
  );

  withPostgres(
    'A5 where the database lets nobody keep a timetable, each process keeps its own, and says so',
    async () => {
      const url = await cluster!.createDatabase();
      const told: string[] = [];
      instead = { whenIdle: async () => void told.push('idle'), stop: async () => void told.push('stopped') };
      const poor = await poorUser(url);
      const timetable = keep(poor, { name: 'parked', everyMs: MINUTE_MS, run: async () => {} });
      await timetable.whenIdle();
      await timetable.stop();
      instead = undefined;

      expect(told).toEqual(['idle', 'stopped']);
      expect(logged).toEqual([
        [expect.stringContaining('each process keeps its own'), expect.objectContaining({ code: '42501' })],
      ]);
    },
  );

  withPostgres('A5 what an earlier version kept is scheduled no more', async () => {
    const url = await cluster!.createDatabase();
    const idle = async () => {};
    await keep(url, { name: 'old', everyMs: MINUTE_MS, run: idle }).whenIdle();
    await keep(url, { name: 'new', everyMs: 60 * MINUTE_MS, run: idle }).whenIdle();

    expect(await schedules(url)).toEqual([{ name: 'sweep-new', cron: cronOf(60 * MINUTE_MS, 'new') }]);
  });

  it.each([
    [MINUTE_MS, '*/1 * * * *'],
    [5 * MINUTE_MS, '*/5 * * * *'],
    [7 * MINUTE_MS, '*/6 * * * *'],
    [20_000, '*/1 * * * *'],
    [60 * MINUTE_MS, '38 */1 * * *'],
    [7 * 60 * MINUTE_MS, '38 */6 * * *'],
    [24 * 60 * MINUTE_MS, '38 3 * * *'],
  ])('A5 every %d ms is the schedule %s', (everyMs, cron) => {
    expect(cronOf(everyMs, 'b')).toBe(cron);
  });
});

describe('bot-hosts', () => {
  withPostgres(
    'H3 stopping ends the sweep that runs, and one that is stopped at its start begins nothing',
    async () => {
      const url = await cluster!.createDatabase();
      let signal: AbortSignal | undefined;
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const long = keep(url, {
        name: 'long',
        everyMs: MINUTE_MS,
        run: (given) => {
          signal = given;
          begin();
          return sleep(60_000, undefined, { signal: given }).catch(() => {});
        },
      });
      await begun;
      await long.stop();
      expect(signal!.aborted).toBe(true);

      let runs = 0;
      const never = keep(url, { name: 'never', everyMs: MINUTE_MS, run: async () => void (runs += 1) });
      await never.stop();
      expect(runs).toBe(0);
      expect(logged).toEqual([]);
    },
  );

  withPostgres('H1 a database that is away at the start is waited for', async () => {
    const url = await cluster!.createDatabase();
    let runs = 0;
    const restarted = cluster!.restart();
    const timetable = keep(url, { name: 'late', everyMs: MINUTE_MS, run: async () => void (runs += 1) });
    await restarted;
    await timetable.whenIdle();
    expect(runs).toBe(1);
  });
});
