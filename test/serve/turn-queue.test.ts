import { describe, expect, it } from '@jest/globals';
import { isHandedBack } from '../../src/bot/job/handed-back.ts';
import { TurnQueue } from '../../src/serve/turn-queue.ts';
import type { QueueLimits } from '../../src/serve/turn-queue.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const LIMITS: QueueLimits = { width: 4, perPerson: 10, perRepository: 10 };

interface Asked {
  readonly session?: string;
  readonly person?: number;
  readonly repository?: number;
}

/** Work that is started when it is its turn, and ends when it is told to. */
class Bench {
  readonly queue: TurnQueue;
  readonly running = new Set<string>();
  readonly waited: string[] = [];
  readonly outcomes = new Map<string, unknown>();
  readonly #ends = new Map<string, (error?: Error) => void>();
  #nth = 0;

  constructor(limits: Partial<QueueLimits> = {}) {
    this.queue = new TurnQueue({ ...LIMITS, ...limits });
  }

  async add(name: string, asked: Asked = {}, signal = new AbortController().signal): Promise<void> {
    this.#nth += 1;
    const turn = { session: name, person: this.#nth, repository: this.#nth, ...asked };
    const work = () => {
      this.running.add(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      this.#ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      return promise.finally(() => this.running.delete(name));
    };
    this.queue
      .run(turn, work, signal, () => this.waited.push(name))
      .then(
        (value) => this.outcomes.set(name, value),
        (error: unknown) => this.outcomes.set(name, error),
      );
    await settle();
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)!(error);
    await settle();
  }
}

describe('bot-triggers', () => {
  it('T8 turns of one session run one at a time, in the order they came', async () => {
    const bench = new Bench();
    for (const name of ['a1', 'a2', 'a3']) await bench.add(name, { session: 'a' });
    expect([...bench.running]).toEqual(['a1']);

    await bench.end('a1');
    expect([...bench.running]).toEqual(['a2']);
    await bench.end('a2', new Error('it failed'));
    expect([...bench.running]).toEqual(['a3']);
    await bench.end('a3');

    expect(bench.outcomes.get('a1')).toBe('a1');
    expect(bench.outcomes.get('a2')).toMatchObject({ message: 'it failed' });
    expect(bench.queue.size).toBe(0);
  });

  it('T8 different sessions run in parallel, as many as there are places', async () => {
    const bench = new Bench({ width: 2 });
    for (const name of ['a', 'b', 'c', 'd']) await bench.add(name);

    expect([...bench.running]).toEqual(['a', 'b']);
    await bench.end('b');
    expect([...bench.running]).toEqual(['a', 'c']);
  });

  it('T8 a turn that waits for its session holds up nobody behind it', async () => {
    const bench = new Bench({ width: 2 });
    await bench.add('a1', { session: 'a' });
    await bench.add('a2', { session: 'a' });
    await bench.add('b');

    expect([...bench.running]).toEqual(['a1', 'b']);
  });

  it('P1 tells who has to wait, so that they see that they were heard', async () => {
    const bench = new Bench({ width: 1 });
    await bench.add('a');
    await bench.add('b');

    expect(bench.waited).toEqual(['b']);
  });
});

describe('bot-security', () => {
  it('X12 one person and one repository hold only a part of the places; who else comes goes before', async () => {
    const bench = new Bench({ width: 4, perPerson: 2, perRepository: 3 });
    for (const name of ['a', 'b', 'c']) await bench.add(name, { person: 1, repository: 9 });
    await bench.add('d', { person: 2, repository: 9 });
    await bench.add('e', { person: 3, repository: 9 });
    await bench.add('f', { person: 4, repository: 8 });

    expect([...bench.running]).toEqual(['a', 'b', 'd', 'f']);
    await bench.end('a');
    expect([...bench.running]).toEqual(['b', 'd', 'f', 'c']);
  });

  it('X12 a thousand turns of one person go through, two at a time', async () => {
    const bench = new Bench({ width: 4, perPerson: 2, perRepository: 4 });
    let most = 0;
    let done = 0;
    const work = async () => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
      done += 1;
    };
    let running = 0;
    const signal = new AbortController().signal;

    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        bench.queue.run({ session: `s${n}`, person: 1, repository: 1 }, work, signal),
      ),
    );

    expect([done, most]).toEqual([1_000, 2]);
  });
});

describe('bot-hosts', () => {
  it('H3 what still waits when the process ends is handed back, and does not begin', async () => {
    const bench = new Bench({ width: 1 });
    const stopping = new AbortController();
    await bench.add('a');
    await bench.add('b', {}, stopping.signal);
    stopping.abort();
    await settle();
    await bench.end('a');
    await bench.add('c', {}, stopping.signal);

    expect(isHandedBack(bench.outcomes.get('b'))).toBe(true);
    expect(isHandedBack(bench.outcomes.get('c'))).toBe(true);
    expect(bench.running.size).toBe(0);
  });
});
