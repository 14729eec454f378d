import { afterAll, describe, expect, it } from '@jest/globals';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';

const cluster: Cluster | undefined = await startCluster();
afterAll(() => cluster?.stop());

describe('persistence', () => {
  (cluster ? it : it.skip)(
    'P28 a connection that breaks between two statements fails its transaction, and neither the process nor the next one',
    async () => {
      const database = new PostgresDatabase({ url: await cluster!.createDatabase() });
      const broken = database.write(async (query) => {
        await query(`insert into dsh.causes (repo, cause, delivery) values (1, 'c', 'd')`);
        await cluster!.restart();
        await query('select 1');
      });
      await expect(broken).rejects.toThrow(/terminat|closed|not queryable/i);

      const rows = await database.write((query) => query('select * from dsh.causes'));
      expect(rows).toEqual([]);
      await database.close();
    },
  );
});
