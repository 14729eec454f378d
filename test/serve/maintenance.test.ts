import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { readIdentity } from '../../src/cli/identity.ts';
import { readEnv } from '../../src/config/env.ts';
import { createBot } from '../../src/create-bot.ts';
import type { Bot } from '../../src/create-bot.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { maintenance } from '../../src/serve/maintenance.ts';

const DAY_MS = 86_400_000;

describe('persistence', () => {
  let folder: string;
  let bot: Bot;
  let later = 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dsh-retention-'));
    const env = readEnv({ DSH_DATA_DIR: folder, HOME: folder, DEEPSEEK_API_KEY: 'k' });
    later = 0;
    bot = createBot({ env, identity: readIdentity(), log: () => {}, now: () => new Date(Date.now() + later) });
  });
  afterEach(async () => {
    await bot.close();
    await rm(folder, { recursive: true, force: true });
  });

  const sweep = async (name: string, at: number, archivedDays?: number) => {
    const operator = archivedDays === undefined ? {} : { retention: { archivedDays } };
    const octokit = {} as Pick<Octokit, 'rest' | 'paginate'>;
    const sweeps = maintenance({ bot, operator, octokit, host: {} as never, now: () => new Date(at) });
    await sweeps.find((one) => one.name === name)!.run(new AbortController().signal);
  };
  const spilled = () => readdir(join(folder, 'spill'));

  it('B6 an archived session is erased when its time is over, with what was too long to show, and no other is', async () => {
    const now = 100 * DAY_MS;
    for (const [name, days] of [
      ['old', 31],
      ['young', 29],
      ['kept', undefined],
    ] as const) {
      await bot.records.settings.set(SessionId(name), {
        title: name,
        ...(days !== undefined && { archivedAt: now - days * DAY_MS }),
      });
      await mkdir(join(folder, 'spill', name), { recursive: true });
      await writeFile(join(folder, 'spill', name, 'output.txt'), 'secret');
    }

    await sweep('retention', now);
    expect(await bot.records.settings.get(SessionId('old'))).toEqual({});
    expect((await spilled()).toSorted()).toEqual(['kept', 'young']);

    await sweep('retention', now, 0);
    expect(await spilled()).toEqual(['kept']);
    expect(await bot.records.settings.get(SessionId('kept'))).toEqual({ title: 'kept' });
  });

  it('T5 B6 causes and leases are forgotten when their time is over, and not before', async () => {
    const { causes } = bot.records;
    const { leases } = bot.leaseTerms;
    await causes.take(1, 'comment-1', 'd1');
    await leases.acquire(SessionId('work-1-1'), 'dead', 1);
    const rows = () => {
      using db = new DatabaseSync(join(folder, 'dsh.sqlite'), { timeout: 5_000 });
      return db.prepare('select session_id from leases').all().length;
    };

    await sweep('old-causes', Date.now() + 364 * DAY_MS);
    expect(await causes.holder(1, 'comment-1')).toBe('d1');
    await sweep('old-causes', Date.now() + 366 * DAY_MS);
    expect(await causes.holder(1, 'comment-1')).toBeUndefined();

    later = 29 * DAY_MS;
    await sweep('old-leases', 0);
    expect(rows()).toBe(1);
    later = 31 * DAY_MS;
    await sweep('old-leases', 0);
    expect(rows()).toBe(0);
  });

  it('T6 the ids of deliveries are known for as long as GitHub can send them again', async () => {
    const { inbox } = bot.records;
    await inbox.put({ id: 'd1', key: '1-1', name: 'issues', payload: {}, receivedAt: 0 });
    await inbox.done('d1');

    await sweep('known-deliveries', Date.now() + 29 * DAY_MS);
    expect(await inbox.has('d1')).toBe(true);
    await sweep('known-deliveries', Date.now() + 31 * DAY_MS);
    expect(await inbox.has('d1')).toBe(false);
  });
});
