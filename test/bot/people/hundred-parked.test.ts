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

describe('bot-human-loop', () => {
  it('K5 K1 a hundred parked sessions hold nothing: no turn, timer, listener or socket, and less than 1 MB of heap', async () => {
    const b = await PeopleBench.start();
    const issues: number[] = [];
    // The code itself settles in memory while the first ones are parked.
    while (issues.length < 140) issues.push(await b.openIssue());
    const task: ParkManyTask = { endpoint: b.endpoint, warmUp: issues.slice(0, 40), issues: issues.slice(40) };
    const child = fork(new URL('park-many.ts', import.meta.url), { stdio: 'inherit' });
    child.send(task);
    const [report] = (await once(child, 'message')) as [Report];
    await b.close();

    expect(report.log).toEqual([]);
    expect(new Set(report.statuses)).toEqual(new Set(['parked']));
    expect(report.open).toBe(140);
    const { before, after } = report;
    expect(after.turns).toBe(0);
    expect(after.resources).toEqual(before.resources);
    expect(after.listeners).toBe(before.listeners);
    expect((after.heap - before.heap) / 1024 ** 2).toBeLessThan(1);
  }, 240_000);
});
