import { describe, expect, it } from '@jest/globals';
import { TurnQueue } from '../../src/serve/turn-queue.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that is started when it is its turn, and ends when it is told to. */
function tracked(queue: TurnQueue) {
  const running = new Set<string>();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  let most = 0;
  return {
    running,
    started,
    most: () => most,
    add: (key: string, name: string) =>
      queue.add(key, async () => {
        running.add(name);
        started.push(name);
        most = Math.max(most, running.size);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        running.delete(name);
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await settle();
    },
  };
}

describe('bot-triggers', () => {
  it('T8 works one key in order of arrival, one at a time', async () => {
    const work = tracked(new TurnQueue(4));
    for (const name of ['a1', 'a2', 'a3']) work.add('a', name);
    await settle();
    expect([...work.running]).toEqual(['a1']);

    await work.end('a1');
    expect([...work.running]).toEqual(['a2']);
    await work.end('a2');

    expect(work.started).toEqual(['a1', 'a2', 'a3']);
  });

  it('T8 works different keys side by side, up to the width', async () => {
    const work = tracked(new TurnQueue(2));
    for (const key of ['a', 'b', 'c']) work.add(key, key);
    await settle();
    expect([...work.running]).toEqual(['a', 'b']);

    await work.end('a');

    expect([...work.running].sort()).toEqual(['b', 'c']);
  });

  it('T8 never works more than the width, even where places are freed and taken in the same moment', async () => {
    const queue = new TurnQueue(2);
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
    };

    for (let i = 0; i < 300; i++) queue.add(`k${i % 7}`, work);
    await queue.whenIdle();

    expect(most).toBe(2);
    expect(running).toBe(0);
  });

  it('T8 is idle when all of it has ended, what came meanwhile too', async () => {
    const queue = new TurnQueue(1);
    const done: string[] = [];
    queue.add('a', async () => {
      queue.add('b', async () => void done.push('b'));
      done.push('a');
    });

    await queue.whenIdle();

    expect(done).toEqual(['a', 'b']);
  });
});
