import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import { SqliteBackend } from '../../src/store/sqlite/sqlite-backend.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { openStore } from '../../src/store/open-store.ts';
import { LogWriter } from '../harness/session/session-fixture.ts';
import { headerOf, plain } from './contract-storage.ts';

describe('persistence', () => {
  it('B6 a copy made as documented, while the store is written, opens whole and goes on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-backup-'));
    const [live, copy] = [join(folder, 'live'), join(folder, 'copy')];
    const open = (dataDir: string) => openStore({ dataDir, databaseUrl: undefined, now: () => new Date() });
    const store = open(live);
    const database = new SqliteDatabase({ path: join(live, 'dsh.sqlite') });
    const backend = new SqliteBackend(database);
    const { events } = new LogWriter().shortTurn().shortTurn().session;
    const batches: Promise<void>[] = [];
    for (let n = 0; n < 40; n++) batches.push(backend.appendBatch(headerOf(`s${n}`), events, false));
    await batches[0];
    await store.records.inbox.put({ id: 'd1', key: '1-7', name: 'issues', payload: { n: 1 }, receivedAt: 1 });

    await open(copy).close();
    await rm(join(copy, 'dsh.sqlite'), { force: true });
    using db = new DatabaseSync(join(live, 'dsh.sqlite'), { timeout: 5_000 });
    const later = backend.appendBatch(headerOf('later'), events, false);
    db.exec(`vacuum into '${join(copy, 'dsh.sqlite')}'`);
    await Promise.all([...batches, later]);

    const restored = open(copy);
    for (const { id } of await restored.sessions.list()) {
      expect((await restored.sessions.inspect(id)).events).toEqual(plain(events));
    }
    expect(await restored.sessions.has(SessionId('s0'))).toBe(true);
    expect(await restored.records.inbox.pending('1-7')).toMatchObject([{ id: 'd1', payload: { n: 1 } }]);
    expect(await restored.leases.acquire(SessionId('s0'), 'after', 1_000)).toBeDefined();
    await Promise.all([restored.close(), store.close(), database.close()]);
    await rm(folder, { recursive: true, force: true });
  });
});
