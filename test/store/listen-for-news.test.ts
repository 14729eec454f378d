import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openStore } from '../../src/store/open-store.ts';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';

const cluster: Cluster | undefined = await startCluster();
afterAll(() => cluster?.stop());

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 20_000; waited += 20) await sleep(20);
  expect(holds()).toBe(true);
}

describe('bot-hosts', () => {
  const withPostgres = cluster ? it : it.skip;

  withPostgres(
    'H2 what one process takes in is news to another one at once, also after the database was away',
    async () => {
      const databaseUrl = await cluster!.createDatabase();
      const open = () => openStore({ dataDir: '/nowhere', databaseUrl, now: () => new Date() });
      const [here, there] = [open(), open()];
      const put = (id: string) =>
        there.records.inbox.put({ id, key: '1-7', name: 'issues', payload: {}, receivedAt: Date.now() });
      await put('d0');
      let news = 0;
      const forget = here.onNews(() => (news += 1));
      await until(() => news === 1);

      await put('d1');
      await until(() => news === 2);
      await cluster!.restart();
      await until(() => news >= 3);
      const before = news;
      await put('d2');
      await until(() => news > before);

      await forget();
      await Promise.all([here.close(), there.close()]);
    },
    60_000,
  );
});
