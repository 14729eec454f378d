import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { SessionWriters } from '../../src/room/session-writers.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';

const ID = SessionId('gh-1-7-1');

describe('persistence', () => {
  let store: Store;
  let later = 0;
  beforeEach(() => {
    later = 0;
    store = openMemoryStore(() => new Date(Date.now() + later));
  });
  afterEach(() => store.close());

  const writers = (owner: string) => new SessionWriters({ leases: store.leases, owner, ttlMs: 400 });
  const alive = () => new AbortController().signal;

  it('B1 work on a session runs under its lease, whose epoch its writes carry; after it the lease is free', async () => {
    const ours = writers('a');
    const epochs: number[] = [];
    await ours.hold(ID, alive(), async () => void epochs.push(ours.epochOf(ID)));
    await writers('b').hold(ID, alive(), async () => {});
    await ours.hold(ID, alive(), async () => void epochs.push(ours.epochOf(ID)));

    expect(epochs).toEqual([1, 3]);
    expect(ours.epochOf(ID)).toBe(0);
  });

  it('B1 who comes second waits until the first is done', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = writers('a').hold(ID, alive(), async () => {
      await gate.promise;
      order.push('first');
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = writers('b').hold(ID, alive(), async () => void order.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    gate.resolve();
    await Promise.all([first, second]);

    expect(order).toEqual(['first', 'second']);
  });

  it('B1 work whose lease is lost is told so, as one that somebody else goes on with', async () => {
    let reason: unknown;
    await writers('a').hold(ID, alive(), async (signal) => {
      later = 1_000;
      expect(await store.leases.acquire(ID, 'thief', 60_000)).toBeDefined();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      reason = signal.reason;
    });

    expect(reason).toEqual({ kind: 'disposed' });
    expect((await store.leases.held()).get(ID)?.owner).toBe('thief');
  });
});
