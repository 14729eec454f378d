import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readIdentity } from '../../src/cli/identity.ts';
import { readEnv } from '../../src/config/env.ts';
import { createBot } from '../../src/create-bot.ts';
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

  it('B1 what such work writes beside the log is written under its lease, and refused once that is lost', async () => {
    const snapshot = { base: 'b', digest: 'd', bytes: new Uint8Array(1) };
    await writers('a').hold(ID, alive(), async (_signal, lease) => {
      const { snapshots, requests } = store.records.under(lease);
      await snapshots.put(ID, snapshot);
      later = 1_000;
      expect(await store.leases.acquire(ID, 'thief', 60_000)).toBeDefined();

      await expect(snapshots.put(ID, { ...snapshot, digest: 'late' })).rejects.toMatchObject({ code: 'STALE_LEASE' });
      await expect(snapshots.drop(ID)).rejects.toMatchObject({ code: 'STALE_LEASE' });
      await expect(requests.commented('ap_1', 5)).rejects.toMatchObject({ code: 'STALE_LEASE' });
    });

    expect(await store.records.snapshots.latest(ID)).toMatchObject({ digest: 'd' });
  });

  it('B1 a bot gives its jobs and its services records under their lease, which erase what is on the disk, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-under-'));
    const env = readEnv({ DSH_DATA_DIR: folder, HOME: folder, DEEPSEEK_API_KEY: 'k' });
    const bot = createBot({ env, identity: readIdentity(), log: () => {} });
    const { leases } = bot.leaseTerms;
    const first = (await leases.acquire(ID, 'a', 60_000))!;
    const services = bot.servicesUnder(first);
    await mkdir(join(folder, 'spill', ID), { recursive: true });
    await writeFile(join(folder, 'search.sqlite'), 'the words of all');
    await services.records.settings.set(ID, { budget: 1 });
    await leases.release(first);
    const next = (await leases.acquire(ID, 'b', 60_000))!;

    await expect(services.records.settings.set(ID, { budget: 2 })).rejects.toMatchObject({ code: 'STALE_LEASE' });
    await expect(services.records.settings.erase(ID)).rejects.toMatchObject({ code: 'STALE_LEASE' });
    expect(await bot.records.settings.get(ID)).toEqual({ budget: 1 });
    expect(await readdir(join(folder, 'spill'))).toEqual([ID]);
    expect(services.live).toBe(bot.services.live);

    await bot.servicesUnder(next).records.settings.erase(ID);
    expect(await readdir(join(folder, 'spill'))).toEqual([]);
    expect(await readdir(folder)).not.toContain('search.sqlite');
    await bot.close();
    await rm(folder, { recursive: true });
  });
});
