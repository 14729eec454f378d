import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Held, ParkManyTask } from './park-many.ts';
import { PeopleBench } from './people-bench.ts';

interface Report {
  readonly before: Held;
  readonly after: Held;
  readonly statuses: readonly string[];
  readonly open: number;
  readonly log: readonly string[];
}

const isLong = process.env.DSH_LONG_TESTS !== undefined;
/** The code itself settles in memory while the first ones are parked. */
const WARM_UP = isLong ? 40 : 20;
const PARKED = isLong ? 100 : 25;

describe('bot-human-loop', () => {
  it(`K5 K1 ${PARKED} parked sessions hold nothing: no turn, timer, listener or socket, and less than 1 MB of heap`, async () => {
    const b = await PeopleBench.start();
    const issues: number[] = [];
    while (issues.length < WARM_UP + PARKED) issues.push(await b.openIssue());
    const task: ParkManyTask = {
      endpoint: b.endpoint,
      warmUp: issues.slice(0, WARM_UP),
      issues: issues.slice(WARM_UP),
    };
    const child = fork(new URL('park-many.ts', import.meta.url), { stdio: 'inherit' });
    child.send(task);
    const [report] = (await once(child, 'message')) as [Report];
    await b.close();

    expect(report.log).toEqual([]);
    expect(new Set(report.statuses)).toEqual(new Set(['parked']));
    expect(report.open).toBe(WARM_UP + PARKED);
    const { before, after } = report;
    expect(after.turns).toBe(0);
    expect(after.resources).toEqual(before.resources);
    expect(after.listeners).toBe(before.listeners);
    expect((after.heap - before.heap) / 1024 ** 2).toBeLessThan(1);
  }, 240_000);
});
