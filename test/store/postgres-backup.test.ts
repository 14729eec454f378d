import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findPostgres } from '../../scripts/postgres/find-postgres.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';
import { PostgresBackend } from '../../src/store/postgres/postgres-backend.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, plain } from './contract-storage.ts';
import { startCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';

const bin = findPostgres();
const hasTools = ['pg_dump', 'pg_restore', 'psql'].every((name) => bin && existsSync(join(bin, name)));
const cluster: Cluster | undefined = hasTools ? await startCluster() : undefined;
afterAll(() => cluster?.stop());

const run = (program: string, ...args: string[]) => promisify(execFile)(join(bin!, program), args);
const open = (databaseUrl: string): Store =>
  openStore({ dataDir: '/nowhere', databaseUrl, now: () => new Date(1_000) });

const WAYS = {
  'pg_dump and psql': async (from: string, to: string, folder: string) => {
    const file = join(folder, 'dsh.sql');
    await run('pg_dump', '--schema=dsh', `--file=${file}`, from);
    return () => run('psql', '--quiet', '--set=ON_ERROR_STOP=1', '--single-transaction', `--file=${file}`, to);
  },
  'pg_dump and pg_restore': async (from: string, to: string, folder: string) => {
    const file = join(folder, 'dsh.dump');
    await run('pg_dump', '--schema=dsh', '--format=custom', `--file=${file}`, from);
    return () => run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${to}`, file);
  },
};

describe('persistence', () => {
  (cluster ? it.each(Object.keys(WAYS)) : it.skip.each(Object.keys(WAYS)))(
    'B6 a copy made by %s as documented, while the store is written, opens whole and goes on',
    async (way) => {
      const folder = await mkdtemp(join(tmpdir(), 'dsh-pg-backup-'));
      const [from, to] = [await cluster!.createDatabase(), await cluster!.createDatabase()];
      const database = new PostgresDatabase({ url: from });
      const backend = new PostgresBackend(database);
      const { events } = new LogWriter().shortTurn('odd \0 \ud83d').shortTurn().session;
      const live = open(from);
      await live.records.inbox.put({ id: 'd1', key: '1-7', name: 'issues', payload: { n: 1 }, receivedAt: 1 });
      await live.records.causes.take(1, 'comment-1', 'd1');
      await live.records.snapshots.put(SessionId('s0'), { base: 'b', digest: 'd', bytes: Uint8Array.of(0, 255, 7) });
      const lease = (await live.leases.acquire(SessionId('leased'), 'a', 60_000))!;
      const leased = new PostgresBackend(database, () => lease.epoch);
      await leased.appendBatch(headerOf('leased'), events.slice(0, 3), false);
      let n = 0;
      let isOver = false;
      const writing = (async () => {
        while (!isOver) await backend.appendBatch(headerOf(`s${n++}`), events, false);
      })();

      const restore = await WAYS[way as keyof typeof WAYS](from, to, folder);
      const written = n;
      isOver = true;
      await writing;
      await restore();

      const restored = open(to);
      const stored = await restored.sessions.list();
      expect(stored.length).toBeGreaterThan(1);
      expect(stored.length).toBeLessThanOrEqual(written + 2);
      for (const { id } of stored.filter((one) => one.id !== 'leased'))
        expect((await restored.sessions.inspect(id)).events).toEqual(plain(events));
      expect(await restored.records.inbox.pending('1-7')).toMatchObject([{ id: 'd1', payload: { n: 1 } }]);
      expect(await restored.records.causes.take(1, 'comment-1', 'd2')).toBe('d1');
      expect([...(await restored.records.snapshots.latest(SessionId('s0')))!.bytes]).toEqual([0, 255, 7]);

      // It goes on: a delivery is numbered behind the others, an event behind the last one, an epoch above the old one.
      await restored.records.inbox.put({ id: 'd2', key: '1-7', name: 'issues', payload: {}, receivedAt: 2 });
      const [first, second] = await restored.records.inbox.pending('1-7');
      expect(second!.position).toBeGreaterThan(first!.position);
      await restored.leases.release({ session: SessionId('leased'), epoch: lease.epoch });
      expect((await restored.leases.acquire(SessionId('leased'), 'b', 1_000))?.epoch).toBe(lease.epoch + 1);
      const target = new PostgresDatabase({ url: to });
      const late = new PostgresBackend(target, () => lease.epoch);
      const append = late.appendBatch(headerOf('leased'), events.slice(3, 6), true);
      expect(await codeOfRejection(append)).toBe('STALE_LEASE');
      await Promise.all([target, database, live, restored].map((one) => one.close()));
      await rm(folder, { recursive: true, force: true });
    },
    60_000,
  );
});
