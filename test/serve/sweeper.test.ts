import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sweeper } from '../../src/serve/sweeper.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';
import type { Sweep } from '../../src/store/timetable.ts';

describe('bot-human-loop', () => {
  let store: Store;
  const sweepers: Sweeper[] = [];
  const logged: string[] = [];
  beforeEach(() => {
    store = openMemoryStore(() => new Date());
    logged.length = 0;
  });
  afterEach(async () => {
    await Promise.all(sweepers.splice(0).map((sweeper) => sweeper.stop()));
    await store.close();
  });

  const start = (owner: string, sweeps: readonly Sweep[]) => {
    const terms = { leases: store.leases, owner, ttlMs: 1_000 };
    const sweeper = new Sweeper({ sweeps, terms, log: (message) => logged.push(message) });
    sweepers.push(sweeper);
    sweeper.start();
    return sweeper;
  };

  it('A5 each sweep runs at the start and then in its own time, and one that fails holds up no other', async () => {
    const runs = { often: 0, seldom: 0 };
    start('a', [
      { name: 'broken', everyMs: 20, run: () => Promise.reject(new Error('no')) },
      { name: 'often', everyMs: 20, run: async () => void (runs.often += 1) },
      { name: 'seldom', everyMs: 60_000, run: async () => void (runs.seldom += 1) },
    ]);
    for (let waited = 0; runs.often < 4 && waited < 5_000; waited += 20) await sleep(20);

    expect(runs.seldom).toBe(1);
    expect(runs.often).toBeGreaterThanOrEqual(4);
    expect(logged[0]).toBe('broken failed');
  });

  it('A5 of many processes one at a time does a sweep', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const sweep = (): Sweep => ({
      name: 'parked',
      everyMs: 20,
      run: async () => {
        most = Math.max(most, (running += 1));
        runs += 1;
        await sleep(15);
        running -= 1;
      },
    });
    for (const owner of ['a', 'b', 'c']) start(owner, [sweep()]);
    for (let waited = 0; runs < 5 && waited < 5_000; waited += 20) await sleep(20);

    expect(most).toBe(1);
    expect(runs).toBeGreaterThan(3);
  });

  it('A5 stopping ends the sweep that runs', async () => {
    let signal: AbortSignal | undefined;
    const sweeper = start('a', [
      {
        name: 'long',
        everyMs: 1_000,
        run: (given) => {
          signal = given;
          return sleep(60_000, undefined, { signal: given }).catch(() => {});
        },
      },
    ]);
    await sleep(50);
    await sweeper.stop();

    expect(signal?.aborted).toBe(true);
  });
});
