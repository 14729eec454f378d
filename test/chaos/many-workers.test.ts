import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startCluster } from '../store/postgres-cluster.ts';
import type { Cluster } from '../store/postgres-cluster.ts';
import { World } from './world.ts';

const cluster: Cluster | undefined = await startCluster();
let undisturbed: unknown;
let world: World | undefined;

beforeAll(async () => {
  const calm = await World.open();
  const worker = await calm.start();
  await calm.ask(worker);
  await calm.finish(worker);
  undisturbed = await calm.finalState();
  await calm.close();
}, 60_000);
afterEach(async () => {
  await world?.close();
  world = undefined;
});
afterAll(() => cluster?.stop());

const isLong = process.env.DSH_LONG_TESTS !== undefined;
const API = 'github POST /api/v3/repos/acme/shop';
const KILLED_AT = [
  'before sandbox spawn #3',
  'after causes take #1',
  `after ${API}/issues/N/comments #1`,
  'after log append #2',
  'before engine start #1',
  'after log append #6',
  'after sandbox spawn #4',
  `after ${API}/git/trees #1`,
  `after ${API}/git/refs #1`,
  `before ${API}/pulls #1`,
  'before github PATCH /api/v3/repos/acme/shop/issues/comments/N #1',
  'before engine remove #2',
];

const database = async () => ({ DATABASE_URL: await cluster!.createDatabase() });

async function expectUndisturbed(): Promise<void> {
  expect({ state: await world!.finalState(), left: await world!.left() }).toEqual({ state: undisturbed, left: [] });
}

describe('bot-hosts', () => {
  const withPostgres = cluster ? it : it.skip;

  const points = isLong ? KILLED_AT : KILLED_AT.slice(0, 1);
  (cluster ? it.each(points) : it.skip.each(points))(
    'H2 two workers on PostgreSQL: one is killed %s, the other one ends its work',
    async (at) => {
      world = await World.open(await database());
      const [first, second] = [await world.start({ at, kind: 'kill' }), await world.start(undefined, { port: 0 })];
      await world.ask(first);
      await world.finish(first);
      expect(first.child.signalCode).toBe('SIGKILL');
      world.github.setWebhookTarget(second.url);
      await world.finish(second);

      await expectUndisturbed();
    },
    90_000,
  );

  withPostgres(
    'H2 B1 a worker that stood still while its lease was taken writes nothing more when it wakes up',
    async () => {
      world = await World.open(await database());
      const [first, second] = [
        await world.start({ at: 'before sandbox spawn #3', kind: 'freeze' }),
        await world.start(undefined, { port: 0 }),
      ];
      await world.ask(first);
      world.github.setWebhookTarget(second.url);
      await world.finish(second);
      await expectUndisturbed();

      first.child.kill('SIGCONT');
      await world.finish(first);
      await sleep(1_000);
      await expectUndisturbed();
    },
    90_000,
  );

  withPostgres(
    'H2 a database that is restarted in the middle of a turn costs nothing',
    async () => {
      let restarted = false;
      world = await World.open(await database(), (nth) => {
        if (nth !== 2 || restarted) return undefined;
        restarted = true;
        return cluster!.restart();
      });
      const worker = await world.start();
      await world.ask(worker);
      await world.finish(worker);

      expect(restarted).toBe(true);
      await expectUndisturbed();
    },
    90_000,
  );

  it('H2 a work tree that is gone with its machine is made again', async () => {
    world = await World.open();
    const first = await world.start({ at: 'before sandbox spawn #4', kind: 'kill' });
    await world.ask(first);
    await first.gone;
    await rm(join(world.root, 'data/sessions'), { recursive: true });
    await world.finish(await world.start());

    await expectUndisturbed();
  }, 90_000);

  it('H2 a disk that is full for a while costs nothing', async () => {
    world = await World.open();
    const worker = await world.start({ at: 'before log append #6', kind: 'full' });
    await world.ask(worker);
    await world.finish(worker);

    await expectUndisturbed();
  }, 90_000);
});

describe('bot-triggers', () => {
  const withPostgres = cluster ? it : it.skip;

  withPostgres(
    'T6 one delivery sent five times at once to two workers starts one turn',
    async () => {
      world = await World.open(await database());
      const workers = [await world.start(), await world.start(undefined, { port: 0 })];
      world.github.setWebhookTarget(undefined);
      await world.github.comment('acme/shop', 1, { by: 'maria', body: '/dsh fix' });
      await world.github.settled();
      const posts = [0, 1, 0, 1, 0].map((n) => world!.post(workers[n]!));
      expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
      world.github.setWebhookTarget(workers[0]!.url);
      for (const worker of workers) await world.finish(worker);

      await expectUndisturbed();
    },
    90_000,
  );
});
