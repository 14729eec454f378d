import { afterAll, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { lockEpoch } from '../../src/store/postgres/lease-epoch.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { PostgresLeases } from '../../src/store/postgres/postgres-leases.ts';
import { postgresRecords } from '../../src/store/postgres/postgres-records.ts';
import { openRecords } from '../../src/store/records/open-records.ts';
import type { Query } from '../../src/store/postgres/postgres-database.ts';
import { codeOfRejection } from './contract-storage.ts';
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
      await expect(broken).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        message: 'The PostgreSQL database cannot be reached.',
        cause: { message: expect.stringMatching(/terminat|closed|not queryable/i) },
      });

      const rows = await database.write((query) => query('select * from dsh.causes'));
      expect(rows).toEqual([]);
      await database.close();
    },
  );

  (cluster ? it : it.skip)(
    'P28 a user who may make no schema stores in one that was made for him, or is told what he lacks',
    async () => {
      const url = await cluster!.createDatabase();
      await cluster!.run(url, 'create role lean login');
      const database = new PostgresDatabase({ url: url.replace('user=dsh', 'user=lean') });
      const write = () => database.write((query) => query('select count(*)::int as causes from dsh.causes'));

      await expect(write()).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        message: expect.stringContaining('may not make'),
        hint: expect.stringContaining('create schema dsh authorization'),
      });
      await cluster!.run(url, 'create schema dsh authorization lean');
      expect(await write()).toEqual([{ causes: 0 }]);
      await database.close();
    },
  );

  (cluster ? it : it.skip)('B1 fencing holds whatever the database takes for its isolation', async () => {
    const url = await cluster!.createDatabase();
    await cluster!.run(
      url,
      `do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database()); end $$`,
    );
    const database = new PostgresDatabase({ url });
    const ID = SessionId('gh-1-7-1');
    const leases = new PostgresLeases(database);
    const old = (await leases.acquire(ID, 'a', 1))!;
    const gate = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const taking = database.write(async (query) => {
      await lockEpoch(query, ID);
      taken.resolve();
      await gate.promise;
      await query('update dsh.leases set epoch = epoch + 1 where session_id = $1', [ID]);
    });
    await taken.promise;

    const late = openRecords(postgresRecords(database), () => 0).under(old);
    const writing = late.snapshots.put(ID, { base: 'b', digest: 'd', bytes: new Uint8Array(1) });
    const outcome = expect(writing).rejects.toMatchObject({ code: 'STALE_LEASE' });
    const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    while ((await cluster!.run(url, waits)).length === 0) await new Promise(setImmediate);
    gate.resolve();
    await Promise.all([taking, outcome]);
    await database.close();
  });

  (cluster ? it : it.skip)(
    'B2 whatever keeps the server from answering is known as such: its restart, its limits, a connection that broke',
    async () => {
      const database = new PostgresDatabase({ url: await cluster!.createDatabase() });
      const codeOf = (work: (query: Query) => Promise<unknown>) => codeOfRejection(database.write(work));

      expect(await codeOf((query) => query('select 1 / 0'))).toBe('22012');
      const slow = async (query: Query) => {
        await query('set local statement_timeout = 1');
        await query('select pg_sleep(10)');
      };
      expect(await codeOf(slow)).toBe('DATABASE_UNAVAILABLE');
      expect(await codeOf((query) => query('select pg_terminate_backend(pg_backend_pid())'))).toBe(
        'DATABASE_UNAVAILABLE',
      );
      const readOnly = async (query: Query) => {
        await query('set transaction read only');
        await query('delete from dsh.causes');
      };
      expect(await codeOf(readOnly)).toBe('DATABASE_UNAVAILABLE');
      expect(await database.write((query) => query('select 1 as one'))).toEqual([{ one: 1 }]);
      await database.close();
    },
  );
});
