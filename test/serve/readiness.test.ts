import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readIdentity } from '../../src/cli/identity.ts';
import { readEnv } from '../../src/config/env.ts';
import { createBot } from '../../src/create-bot.ts';
import type { Bot } from '../../src/create-bot.ts';
import { serveHttp } from '../../src/serve/serve-http.ts';
import { cachedCheck } from '../../src/store/cached-check.ts';
import { probeFolder } from '../../src/store/probe-folder.ts';
import { openStore } from '../../src/store/open-store.ts';
import { startCluster } from '../store/postgres-cluster.ts';
import type { Cluster } from '../store/postgres-cluster.ts';

/** A file system of eight megabytes in memory; undefined where this process may mount none. */
function mountSmall(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-small-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', folder]).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function unmountOnce(folder: string): boolean {
  return spawnSync('umount', ['-l', folder]).status === 0;
}

function unmount(folder: string): void {
  while (unmountOnce(folder));
  rmSync(folder, { recursive: true, force: true });
}

const tried = mountSmall();
if (tried !== undefined) unmount(tried);
const onSmallDisk = tried === undefined ? it.skip : it;

const cluster: Cluster | undefined = await startCluster();
afterAll(() => cluster?.stop());

describe('bot-hosts', () => {
  let disk: string;
  let bots: Bot[] = [];
  beforeEach(() => {
    disk = tried === undefined ? '' : mountSmall()!;
  });
  afterEach(async () => {
    for (const bot of bots) await bot.close();
    bots = [];
    if (disk !== '') unmount(disk);
  });

  /** A server as it stands after some seconds: it asks anew. */
  const envOf = () => readEnv({ DSH_DATA_DIR: disk, HOME: disk, DEEPSEEK_API_KEY: 'k' });
  const readyOf = async () => {
    const bot = createBot({ env: envOf(), identity: readIdentity(), log: () => {} });
    bots.push(bot);
    const http = await serveHttp({
      ...{ host: '127.0.0.1', port: 0, secret: 's', log: () => {}, accept: async () => {} },
      // Of the engine another test tells.
      notReady: async () => (await bot.notReady()).filter((reason) => reason.startsWith('Nothing can be stored')),
    });
    const answer = await fetch(new URL('/readyz', http.url));
    await http.close();
    return [answer.status, await answer.text()];
  };

  onSmallDisk('H1 a server whose disk is full says that it is not ready, and is again when there is room', async () => {
    expect(await readyOf()).toEqual([200, 'ok']);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize));

    expect(await readyOf()).toEqual([503, expect.stringMatching(/^Nothing can be stored: .*(no space|full)/i)]);

    rmSync(join(disk, 'filler'));
    expect(await readyOf()).toEqual([200, 'ok']);
    expect(readdirSync(disk).filter((name) => name.startsWith('.probe'))).toEqual([]);
  });

  onSmallDisk('H1 also where the database still finds room in what it holds, and a turn would not', async () => {
    const bot = createBot({ env: envOf(), identity: readIdentity(), log: () => {} });
    bots.push(bot);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 256 * 1024));

    await bot.records.settings.set('s' as never, { title: 'there is room for that' });
    expect(await bot.notReady()).toContainEqual(expect.stringMatching(/^Nothing can be stored/));
  });

  onSmallDisk('H1 a server whose file system became read-only says so', async () => {
    const bot = createBot({ env: envOf(), identity: readIdentity(), log: () => {} });
    bots.push(bot);
    // What is open stays as it was: the kernel lets nobody take it away. All that is opened from now on is read-only.
    expect(spawnSync('mount', ['--bind', '-o', 'ro', disk, disk]).status).toBe(0);

    expect(await bot.notReady()).toContainEqual(expect.stringMatching(/^Nothing can be stored: EROFS/));

    unmountOnce(disk);
    await probeFolder(disk);
  });

  (cluster ? it : it.skip)('H1 a PostgreSQL that takes no writes is one that nothing can be stored in', async () => {
    const databaseUrl = await cluster!.createDatabase();
    const store = openStore({ dataDir: disk, databaseUrl, now: () => new Date() });
    await store.probe();
    await cluster!.run(
      databaseUrl,
      `alter database ${databaseUrl.match(/test\d+/)![0]} set default_transaction_read_only = on`,
    );
    await store.close();

    const again = openStore({ dataDir: disk, databaseUrl, now: () => new Date() });
    await expect(again.probe()).rejects.toThrow(/read-only transaction/);
    await again.close();
  });

  it('H1 however often that is asked, it is tried out once in some seconds, and always answered', async () => {
    let tries = 0;
    const check = cachedCheck(
      async () => {
        tries += 1;
        throw new Error('full');
      },
      { holdsMs: 60_000, limitMs: 60_000 },
    );
    const answers = await Promise.allSettled([check(), check(), check()]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(tries).toBe(1);

    const fresh = cachedCheck(async () => void (tries += 1), { holdsMs: 0, limitMs: 60_000 });
    await fresh();
    await fresh();
    expect(tries).toBe(3);

    const hanging = cachedCheck(() => new Promise(() => {}), { holdsMs: 0, limitMs: 10 });
    await expect(hanging()).rejects.toThrow('no answer within 0.01 seconds');
  });
});
