import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { inParallel } from '../../../src/bot/job/in-parallel.ts';

describe('prompts', () => {
  it('PR50 the first is alone until it says that the others may follow, then so many run at once', async () => {
    const begun: number[] = [];
    let [now, most] = [0, 0];

    const results = await inParallel([0, 1, 2, 3, 4, 5], 3, async (item, othersMayFollow) => {
      begun.push(item);
      most = Math.max(most, (now += 1));
      await wait(5);
      if (item === 0) expect(begun).toEqual([0]);
      othersMayFollow();
      await wait(5);
      now -= 1;
      return item * 2;
    });

    expect(results).toEqual([0, 2, 4, 6, 8, 10]);
    expect(most).toBe(3);
  });

  it('PR50 one that fails before it speaks does not hold the others back, and nothing is left running', async () => {
    let running = 0;

    const failing = inParallel([0, 1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      await wait(item * 3);
      running -= 1;
      if (item === 2) throw new Error('second');
      return item;
    });

    await expect(failing).rejects.toThrow('second');
    expect(running).toBe(0);
  });

  it('PR50 no work is no work', async () => {
    expect(await inParallel([], 4, async () => 1)).toEqual([]);
  });
});
