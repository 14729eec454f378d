import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CoalescedEdits } from '../../../src/publish/progress/coalesced-edits.ts';

describe('bot-human-loop', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function edits(write: (body: string) => Promise<void> = async () => {}) {
    const bodies: string[] = [];
    const failures: unknown[] = [];
    const state = { drawn: 0, text: 'start' };
    const coalesced = new CoalescedEdits({
      everyMs: 5_000,
      draw: () => state.text,
      write: async (body) => {
        await write(body);
        bodies.push(body);
      },
      log: (_message, error) => failures.push(error),
    });
    return { coalesced, bodies, failures, state };
  }

  it('P4 a turn of 500 changes makes no more than elapsed / every + 3 edits, and fewer as it goes on', async () => {
    const { coalesced, bodies, state } = edits();
    const elapsed = 500 * 2_400;

    for (let i = 0; i < 500; i++) {
      state.text = `step ${i}`;
      coalesced.request();
      await jest.advanceTimersByTimeAsync(2_400);
    }
    await coalesced.finish('end');

    expect(bodies.length).toBeLessThanOrEqual(elapsed / 5_000 + 3);
    expect(bodies.length).toBeLessThan(40);
    expect(bodies.length).toBeGreaterThan(15);
    expect(bodies.at(-1)).toBe('end');
  });

  it('P4 G3 the wait grows by half with each edit, to a minute', async () => {
    const times: number[] = [];
    const { coalesced, state } = edits(async () => void times.push(Date.now()));
    const start = Date.now();

    for (let i = 0; i < 400; i++) {
      state.text = `step ${i}`;
      coalesced.request();
      await jest.advanceTimersByTimeAsync(1_000);
    }

    const waits = times.map((time, i) => time - (times[i - 1] ?? start));
    expect(waits.slice(0, 3).map((ms) => Math.round(ms / 1_000))).toEqual([5, 8, 12]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(61_000);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(60_000);
  });

  it('P4 what did not change is not written', async () => {
    const { coalesced, bodies } = edits();

    for (let i = 0; i < 5; i++) {
      coalesced.request();
      await jest.advanceTimersByTimeAsync(60_000);
    }
    await coalesced.finish('start');

    expect(bodies).toEqual(['start']);
  });

  it('P4 who leaves writes nothing more, also what waited for an edit under way, and a drawing that fails is a failed edit', async () => {
    const slow = Promise.withResolvers<void>();
    const { coalesced, bodies, failures, state } = edits(() => slow.promise);
    coalesced.request();
    await jest.advanceTimersByTimeAsync(5_000);
    state.text = 'late';
    coalesced.request();
    await jest.advanceTimersByTimeAsync(60_000);
    coalesced.leave();
    slow.resolve();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(bodies).toEqual(['start']);

    const other = edits();
    Object.defineProperty(other.state, 'text', {
      get: () => {
        throw new Error('not ours');
      },
    });
    other.coalesced.request();
    await jest.advanceTimersByTimeAsync(5_000);
    expect([failures, other.failures, other.bodies]).toEqual([[], [new Error('not ours')], []]);
  });

  it('P4 a failed edit fails nothing, and its news come with the next one', async () => {
    let isDown = true;
    const { coalesced, bodies, failures, state } = edits(async () => {
      if (isDown) throw new Error('502');
    });

    coalesced.request();
    await jest.advanceTimersByTimeAsync(5_000);
    isDown = false;
    state.text = 'later';
    coalesced.request();
    await jest.advanceTimersByTimeAsync(10_000);

    expect(failures).toHaveLength(1);
    expect(bodies).toEqual(['later']);
  });

  it('P4 the end is written once, after what was under way, and nothing comes over it', async () => {
    const slow = Promise.withResolvers<void>();
    const { coalesced, bodies, state } = edits((body) => (body === 'working' ? slow.promise : Promise.resolve()));
    state.text = 'working';
    coalesced.request();
    await jest.advanceTimersByTimeAsync(5_000);

    const finished = coalesced.finish('end');
    slow.resolve();
    await finished;
    state.text = 'late news';
    coalesced.request();
    await jest.advanceTimersByTimeAsync(120_000);

    expect(bodies).toEqual(['working', 'end']);
  });

  it('P4 a failure to write the end is told to the caller', async () => {
    const { coalesced } = edits(() => Promise.reject(new Error('403')));

    await expect(coalesced.finish('end')).rejects.toThrow('403');
  });
});
