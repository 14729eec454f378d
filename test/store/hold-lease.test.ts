import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { holdLease } from '../../src/store/hold-lease.ts';
import type { SessionLeases } from '../../src/store/lease.ts';

const NAME = SessionId('s1');

/** Leases of which the test says how each heartbeat ends. */
function scripted(beats: () => Promise<boolean>) {
  const calls = { heartbeats: 0, releases: 0 };
  const leases: SessionLeases = {
    acquire: async () => ({ session: NAME, epoch: 3 }),
    held: async () => new Map(),
    heartbeat: () => {
      calls.heartbeats += 1;
      return beats();
    },
    release: async () => void (calls.releases += 1),
    prune: async () => 0,
  };
  return { leases, calls };
}

describe('persistence', () => {
  it('B1 a lease is kept alive for as long as it is held', async () => {
    const { leases, calls } = scripted(async () => true);
    const held = (await holdLease(NAME, { leases, owner: 'a', ttlMs: 800 }))!;
    await sleep(1_800);

    expect(held.lease.epoch).toBe(3);
    expect(held.lost.aborted).toBe(false);
    await held.release();
    const { heartbeats } = calls;
    await sleep(400);
    expect(calls).toEqual({ heartbeats, releases: 1 });
    expect(heartbeats).toBeGreaterThan(4);
  });

  it('B1 who is told that the lease is another one’s stops at once', async () => {
    const { leases } = scripted(async () => false);
    const held = (await holdLease(NAME, { leases, owner: 'a', ttlMs: 40 }))!;
    await sleep(30);

    expect(held.lost.reason).toEqual({ kind: 'disposed' });
  });

  it.each([
    ['does not answer', () => new Promise<boolean>(() => {})],
    ['fails', () => Promise.reject<boolean>(new Error('away'))],
  ])('B1 where the store %s, the lease counts as lost once its time is over, and not before', async (_name, beat) => {
    const { leases } = scripted(beat);
    const held = (await holdLease(NAME, { leases, owner: 'a', ttlMs: 200 }))!;
    await sleep(100);
    expect(held.lost.aborted).toBe(false);
    await sleep(200);
    expect(held.lost.aborted).toBe(true);
  });

  it('B1 who stood still for longer knows it at once, before any timer has told', async () => {
    const { leases } = scripted(async () => true);
    const held = (await holdLease(NAME, { leases, owner: 'a', ttlMs: 40 }))!;
    expect(held.isOurs()).toBe(true);
    for (const until = performance.now() + 60; performance.now() < until;);

    expect(held.isOurs()).toBe(false);
    expect(held.lost.aborted).toBe(true);
  });

  it('B1 a store that comes back in time costs no lease', async () => {
    let fails = 1;
    const { leases } = scripted(async () => {
      if (fails-- > 0) throw new Error('restarting');
      return true;
    });
    const held = (await holdLease(NAME, { leases, owner: 'a', ttlMs: 600 }))!;
    await sleep(900);

    expect(held.lost.aborted).toBe(false);
    await held.release();
  });
});
