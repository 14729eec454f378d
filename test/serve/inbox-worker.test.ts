import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handedBack } from '../../src/bot/job/handed-back.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { InboxWorker } from '../../src/serve/inbox-worker.ts';
import { SessionActor } from '../../src/serve/session-actor.ts';
import type { Handling } from '../../src/serve/session-actor.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Lease } from '../../src/store/lease.ts';
import type { Store } from '../../src/store/open-store.ts';
import type { GitHubEvent } from '../../src/triggers/reading.ts';

const LEASE_MS = 400;

/** One delivery as a worker handles it: the test says when it is decided, and how it ends. */
interface Handled extends Handling {
  readonly lease: Lease;
  readonly id: string;
  readonly worker: string;
  readonly end: (error?: unknown) => void;
}

/** Workers of several processes over one file. */
class Bench {
  readonly handled: Handled[] = [];
  readonly logged: string[] = [];
  readonly #folder: string;
  readonly #stores: Store[] = [];
  readonly #workers: InboxWorker[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), 'dsh-inbox-')));
  }

  store(): Store {
    const store = openStore({ dataDir: this.#folder, databaseUrl: undefined, now: () => new Date() });
    this.#stores.push(store);
    return store;
  }

  worker(name: string): InboxWorker {
    const { records, leases } = this.store();
    const worker = new InboxWorker({
      records,
      terms: { leases, owner: name, ttlMs: LEASE_MS },
      pollMs: 20,
      pauses: { firstMs: 1, longestMs: 2 },
      log: (message) => this.logged.push(message),
      handle: (event, handling) => this.#handle(name, event, handling),
    });
    this.#workers.push(worker);
    worker.start();
    return worker;
  }

  async put(id: string, key = '1-7'): Promise<void> {
    const at = Date.now();
    await this.#stores[0]!.records.inbox.put({ id, key, name: 'issues', payload: { id }, receivedAt: at });
  }

  expireLeases(): void {
    using db = new DatabaseSync(join(this.#folder, 'dsh.sqlite'), { timeout: 5_000 });
    db.exec('update leases set expires_at = 0');
  }

  spoil(id: string): void {
    using db = new DatabaseSync(join(this.#folder, 'dsh.sqlite'), { timeout: 5_000 });
    db.prepare(`update inbox set payload = '{"cut' where id = ?`).run(id);
  }

  get ids(): string[] {
    return this.handled.map(({ id }) => id);
  }

  of(id: string): Handled {
    return this.handled.findLast((one) => one.id === id)!;
  }

  async until(holds: () => boolean): Promise<void> {
    for (let waited = 0; !holds(); waited += 5) {
      if (waited > 20_000) throw new Error(`handled so far: ${this.ids.join(' ')}; ${this.logged.join('; ')}`);
      await sleep(5);
    }
  }

  async close(): Promise<void> {
    for (const { end } of this.handled) end();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await Promise.all(this.#stores.map((store) => store.close()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #handle(worker: string, event: GitHubEvent, handling: Handling & { lease: Lease }): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const back = () => reject(handedBack(event.delivery));
    handling.signal.addEventListener('abort', back, { once: true });
    const end = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
    this.handled.push({ ...handling, id: event.delivery, worker, end });
    await promise;
  }
}

let bench: Bench;
let first: Store;
beforeEach(async () => {
  bench = await Bench.open();
  first = bench.store();
});
afterEach(() => bench.close());

describe('bot-triggers', () => {
  it('T8 the next delivery of a session is read once the one before is decided, while its turn still runs', async () => {
    bench.worker('a');
    await bench.put('d1');
    await bench.put('d2');
    await bench.put('other', '1-8');
    await bench.until(() => bench.ids.includes('other'));
    await sleep(60);
    expect(bench.ids.toSorted()).toEqual(['d1', 'other']);

    bench.of('d1').decided();
    await bench.until(() => bench.ids.includes('d2'));
    bench.of('d2').end();
    await bench.put('d3');
    await bench.until(() => bench.ids.includes('d3'));
    expect(bench.ids.filter((id) => id !== 'other')).toEqual(['d1', 'd2', 'd3']);
  });

  it('T8 T9 a pull request made from an issue is worked with it, by the process that works the issue', async () => {
    await first.records.subjects.assign(1, 9, SessionId('gh-1-7-1'));
    bench.worker('a');
    await bench.put('on-issue', '1-7');
    await bench.until(() => bench.ids.length === 1);
    bench.worker('b');
    await bench.put('on-pull', '1-9');
    await sleep(100);
    expect(bench.ids).toEqual(['on-issue']);

    bench.of('on-issue').decided();
    await bench.until(() => bench.ids.length === 2);
    expect(bench.handled.map(({ worker }) => worker)).toEqual(['a', 'a']);
  });

  it('T8 T9 a delivery is not worked a second time, by nobody, when its subject changes its session meanwhile', async () => {
    bench.worker('a');
    await bench.put('on-pull', '1-9');
    await bench.until(() => bench.ids.length === 1);
    await first.records.subjects.assign(1, 9, SessionId('gh-1-7-1'));
    bench.worker('b');
    await bench.put('on-issue', '1-7');
    await bench.until(() => bench.ids.includes('on-issue'));
    await sleep(150);
    expect(bench.ids.toSorted()).toEqual(['on-issue', 'on-pull']);

    bench.of('on-pull').end();
    await bench.put('later', '1-9');
    bench.of('on-issue').decided();
    await bench.until(() => bench.ids.includes('later'));
    expect(bench.of('later').worker).toBe(bench.of('on-issue').worker);
  });
});

describe('bot-hosts', () => {
  it('H2 a delivery is done when all it asked for is done, and not before', async () => {
    bench.worker('a');
    await bench.put('d1');
    await bench.until(() => bench.ids.length === 1);
    bench.of('d1').decided();
    await sleep(50);
    expect(await first.records.inbox.due()).toHaveLength(1);

    bench.of('d1').end();
    await sleep(50);
    expect(await first.records.inbox.due()).toEqual([]);
    expect(bench.ids).toEqual(['d1']);
  });

  it('H2 of many workers one works a session, and the others share the rest', async () => {
    for (const name of ['a', 'b', 'c']) bench.worker(name);
    for (let n = 0; n < 30; n++) await bench.put(`d${n}`, `1-${n % 10}`);

    for (let ended = 0; ended < 30; ended++) {
      await bench.until(() => bench.handled.length > ended);
      bench.handled[ended]!.end();
    }

    expect(new Set(bench.ids).size).toBe(30);
    expect(bench.handled).toHaveLength(30);
    for (let key = 0; key < 10; key++) {
      const inOrder = bench.ids.filter((id) => Number(id.slice(1)) % 10 === key).map((id) => Number(id.slice(1)));
      expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    }
  });

  it('H2 what a worker held when it died is taken up by another within the lease time, in its order', async () => {
    const lease = await first.leases.acquire(SessionId('work-1-7'), 'dead', LEASE_MS);
    expect(lease).toBeDefined();
    await bench.put('d1');
    await bench.put('d2');
    const from = performance.now();
    bench.worker('b');

    await bench.until(() => bench.ids.length === 1);
    expect(performance.now() - from).toBeLessThan(LEASE_MS + 2_000);
    bench.of('d1').decided();
    await bench.until(() => bench.ids.length === 2);
    expect(bench.ids).toEqual(['d1', 'd2']);
  });

  it('H2 a worker that lost its lease stops, marks nothing as done, and the next one does it', async () => {
    const worker = bench.worker('a');
    await bench.put('d1');
    await bench.until(() => bench.ids.length === 1);
    worker.pause();
    bench.expireLeases();
    const thief = (await first.leases.acquire(SessionId('work-1-7'), 'thief', 60_000))!;

    await bench.until(() => bench.handled[0]!.signal.aborted);
    await sleep(50);
    expect(await first.records.inbox.due()).toHaveLength(1);
    await first.leases.release(thief);
    bench.worker('b');
    await bench.until(() => bench.ids.length === 2);
    expect(bench.handled[1]).toMatchObject({ id: 'd1', worker: 'b' });
  });

  it('H2 B1 a worker that does not know yet that it lost its lease ends no delivery, and writes nothing beside the logs', async () => {
    bench.worker('a');
    await bench.put('d1');
    await bench.until(() => bench.ids.length === 1);
    const { lease, end } = bench.of('d1');
    const stolen = { session: SessionId('work-1-7'), epoch: lease.epoch + 1 };
    bench.expireLeases();
    expect(await first.leases.acquire(stolen.session, 'thief', 60_000)).toEqual(stolen);

    end();
    await sleep(50);

    expect(await first.records.inbox.due()).toMatchObject([{ key: '1-7', count: 1 }]);
    await expect(first.records.under(lease).subjects.assign(1, 7, SessionId('x'))).rejects.toMatchObject({
      code: 'STALE_LEASE',
    });
    await first.records.under(stolen).inbox.done('d1');
    expect(await first.records.inbox.due()).toEqual([]);
  });

  it('H2 what fails for a moment is tried again by the same process, as one attempt', async () => {
    bench.worker('a');
    await bench.put('d1');
    await bench.until(() => bench.ids.length === 1);
    bench.of('d1').end(new Error('the line was cut'));
    await bench.until(() => bench.ids.length === 2);

    expect(bench.logged).toEqual(['issues d1 could not be handled']);
    expect((await first.records.inbox.pending('1-7'))[0]?.attempts).toBe(1);
    bench.of('d1').end();
  });

  it('H2 what fails for hours is not given up, and lets those behind it pass after a while', async () => {
    bench.worker('a');
    await bench.put('d1');
    await bench.put('d2');
    for (let failed = 0; failed < 40; failed++) {
      await bench.until(() => bench.ids.filter((id) => id === 'd1').length > failed);
      if (failed < 25) expect(bench.ids).not.toContain('d2');
      bench.of('d1').end(new Error('GitHub is away'));
    }
    await bench.until(() => bench.ids.includes('d2') && bench.ids.filter((id) => id === 'd1').length === 41);
    bench.of('d2').end();
    bench.of('d1').end();
    await sleep(50);

    expect(await first.records.inbox.due()).toEqual([]);
    expect(bench.logged.some((message) => message.includes('given up'))).toBe(false);
  });

  it('H2 what fails for a day is given up', async () => {
    await bench.put('d1');
    const never = new AbortController().signal;
    let tries = 0;
    const logged: string[] = [];
    const actor = new SessionActor({
      inbox: first.records.inbox,
      handle: async () => {
        tries += 1;
        throw new Error('for ever');
      },
      log: (message) => logged.push(message),
      ...{ pauses: { firstMs: 0, longestMs: 0 }, paused: never, signal: never },
    });
    actor.look('1-7');
    await actor.run();
    expect(tries).toBe(1_441);
    expect(logged.at(-1)).toBe('issues d1 is given up after 1441 failures');
    expect(await first.records.inbox.due()).toEqual([]);
  }, 30_000);

  it('H2 a delivery whose end was stored while its answer was lost is not worked again', async () => {
    const { inbox } = first.records;
    await bench.put('d1');
    const [delivery] = await inbox.pending('1-7');
    await inbox.begin('d1');
    await inbox.done('d1');
    const never = new AbortController().signal;
    const handled: string[] = [];
    let isFirst = true;
    const actor = new SessionActor({
      inbox: { ...inbox, pending: async () => (isFirst ? ((isFirst = false), [delivery!]) : []) },
      handle: async ({ delivery: id }) => void handled.push(id),
      ...{ log: () => {}, pauses: { firstMs: 1, longestMs: 1 }, paused: never, signal: never },
    });
    actor.look('1-7');
    await actor.run();
    expect(handled).toEqual([]);
  });

  it('H2 a delivery whose stored payload is damaged is given up loudly, and holds up nobody', async () => {
    await bench.put('damaged');
    await bench.put('d2');
    bench.spoil('damaged');
    bench.worker('a');
    await bench.until(() => bench.ids.length === 1);
    expect(bench.ids).toEqual(['d2']);
    expect(bench.logged).toEqual(['issues damaged is given up: its payload cannot be read']);
  });

  it('H2 an inbox that cannot be read is not asked for without a pause', async () => {
    const { inbox } = first.records;
    const never = new AbortController().signal;
    const logged: string[] = [];
    const actor = new SessionActor({
      inbox: { ...inbox, pending: () => Promise.reject(new Error('disk I/O error')) },
      handle: async () => {},
      log: (message) => logged.push(message),
      ...{ pauses: { firstMs: 80, longestMs: 80 }, paused: never, signal: never },
    });
    actor.look('1-7');
    const from = performance.now();
    await actor.run();
    expect(performance.now() - from).toBeGreaterThan(70);
    expect(logged).toEqual(['the inbox could not be read']);
  });

  it('H2 a delivery that takes down every process is given up at last', async () => {
    await bench.put('d1');
    for (let n = 0; n < 25; n++) await first.records.inbox.begin('d1');
    bench.worker('a');

    await bench.until(() => bench.logged.length === 1);
    await sleep(50);
    expect(bench.logged[0]).toMatch(/given up/);
    expect(bench.ids).toEqual([]);
    expect(await first.records.inbox.due()).toEqual([]);
  });

  it('H3 a worker that stops hands back what runs, and begins nothing more', async () => {
    const worker = bench.worker('a');
    await bench.put('d1');
    await bench.until(() => bench.ids.length === 1);
    await bench.put('d2', '1-8');
    await bench.until(() => bench.ids.length === 2);
    await worker.stop();
    await bench.put('d3', '1-9');
    await sleep(60);

    expect(bench.ids).toEqual(['d1', 'd2']);
    expect((await first.records.inbox.due()).map(({ key }) => key)).toEqual(['1-7', '1-8', '1-9']);
    bench.worker('b');
    await bench.until(() => bench.ids.length === 5);
  });
});

describe('bot-security', () => {
  it('X12 a flood of a thousand deliveries is worked through, in order, and holds up nobody for good', async () => {
    const puts = Array.from({ length: 1_000 }, (_, n) => bench.put(`d${n}`, `1-${n % 50}`));
    await Promise.all(puts);
    bench.worker('a');
    await bench.put('late', '2-1');
    for (let ended = 0; ended < 1_001; ended++) {
      await bench.until(() => bench.handled.length > ended);
      bench.handled[ended]!.end();
    }
    await bench.until(() => bench.handled.length === 1_001);

    expect(new Set(bench.ids).size).toBe(1_001);
    expect(bench.ids.indexOf('late')).toBeLessThan(1_000);
    const ofOne = bench.ids.filter((id) => Number(id.slice(1)) % 50 === 7).map((id) => Number(id.slice(1)));
    expect(ofOne).toEqual(ofOne.toSorted((a, b) => a - b));
  }, 60_000);
});
