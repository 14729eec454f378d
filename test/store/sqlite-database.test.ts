import { cp, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openRecords } from '../../src/store/records/open-records.ts';
import { sqliteRecords } from '../../src/store/sqlite/sqlite-records.ts';
import { providePersistence } from '../../src/store/provide-persistence.ts';
import { SqliteBackend } from '../../src/store/sqlite/sqlite-backend.ts';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { openSqliteSessions, sqlitePersistence } from '../../src/store/sqlite/sqlite-persistence.ts';
import { LogWriter, rootWithSessions } from '../harness/session/session-fixture.ts';
import { codeOfRejection, headerOf, plain } from './contract-storage.ts';

const meta = headerOf('s1');

describe('persistence', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dsh-sqlite-'));
    path = join(folder, 'dsh.sqlite');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const codeOfOpening = () => codeOfRejection((async () => new SqliteDatabase({ path }))());

  it.each([
    ['of a later schema', 'create table sessions (id text); pragma user_version = 9'],
    ['of somebody else without a version', 'create table notes (text text)'],
  ])('P28 a database %s is refused as it is, before any pragma', async (_name, sql) => {
    using db = new DatabaseSync(path);
    db.exec(sql);
    const before = await readFile(path);

    expect(await codeOfOpening()).toBe('FOREIGN_FORMAT');

    expect(await readFile(path)).toEqual(before);
    expect(await readdir(folder)).toEqual(['dsh.sqlite']);
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
  });

  it('P28 a file that is no database is refused as it is', async () => {
    await writeFile(path, 'keep these words, they are all we have\n'.repeat(50));

    expect(await codeOfOpening()).toBe('FOREIGN_FORMAT');

    expect(await readFile(path, 'utf8')).toContain('keep these words');
  });

  it('P27 an empty file gets strict tables and a write-ahead log, private to its owner', async () => {
    await using sessions = openSqliteSessions({ path: join(folder, 'deep/down/dsh.sqlite') });
    await sessions.list();

    using db = new DatabaseSync(join(folder, 'deep/down/dsh.sqlite'));
    const tables = db.prepare('select name, strict from pragma_table_list where name not like ?').all('sqlite%');
    expect(tables.map(plain)).toEqual(
      expect.arrayContaining(['sessions', 'events', 'leases'].map((name) => ({ name, strict: 1 }))),
    );
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    for (const name of await readdir(join(folder, 'deep/down'))) {
      expect((await stat(join(folder, 'deep/down', name))).mode & 0o077).toBe(0);
    }
  });

  it('P27 a database in memory lives as long as its plugin', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const fiber = ctx.plugin(sqlitePersistence, { path: ':memory:' });
    await fiber;
    const log = new LogWriter(sessions.create(meta.id, { meta })).shortTurn();
    await sessions.flush(log.session);
    const { persistence } = ctx;

    expect((await persistence.inspect(meta.id)).events).toEqual(plain(log.session.events));
    await fiber.dispose();
    await expect(persistence.list()).rejects.toThrow('not open');
  });

  it('P28 what is asked for in one tick is one commit, and what comes later another', async () => {
    const database = new SqliteDatabase({ path });
    const backend = new SqliteBackend(database);
    const { events } = new LogWriter().shortTurn().session;
    const walBytes = async () => (await stat(`${path}-wal`)).size;
    const store = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, i) => backend.appendBatch(headerOf(`s${from + i}`), events, false)),
      );
    await store(0, 1);

    const start = await walBytes();
    await store(1, 21);
    const together = (await walBytes()) - start;
    for (let i = 21; i < 41; i++) await store(i, i + 1);
    const apart = (await walBytes()) - start - together;

    // Each commit writes every page it has touched, however little of it.
    expect(together).toBeLessThan(apart / 3);
    await database.close();
  });

  it('P28 what is due is found without reading past the payloads of all that waits', async () => {
    const path = join(folder, 'dsh.sqlite');
    await new SqliteDatabase({ path }).close();
    using db = new DatabaseSync(path);
    const due = 'select key, min(position), count(*) from inbox where done_at is null and due_at <= 1 group by key';
    const [step] = db.prepare(`explain query plan ${due}`).all();
    expect(step?.['detail']).toMatch(/using covering index inbox_left/i);
  });

  it('P28 waits for another process that writes, without stopping this one', async () => {
    const database = new SqliteDatabase({ path });
    const backend = new SqliteBackend(database);
    using other = new DatabaseSync(path);
    other.exec('begin immediate');
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 5);

    const stored = backend.appendBatch(meta, new LogWriter().shortTurn().session.events, false);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await backend.has(meta.id)).toBe(false);
    other.exec('commit');
    await stored;
    clearInterval(ticking);

    expect(await backend.has(meta.id)).toBe(true);
    expect(ticks).toBeGreaterThan(5);
    await database.close();
  });

  it('P14 P28 a full disk fails the flush loudly and keeps every event for the next one', async () => {
    const database = new SqliteDatabase({ path });
    const { ctx, sessions } = await rootWithSessions();
    const apply = (own: typeof ctx) => providePersistence(own, new SqliteBackend(database));
    await ctx.plugin({ name: 'store', inject: ['sessions'], apply });
    const log = new LogWriter(sessions.create(meta.id, { meta })).startTurn();
    const other = new LogWriter(sessions.create(headerOf('s2').id)).startTurn();
    await Promise.all([sessions.flush(log.session), sessions.flush(other.session)]);
    const stored = async () => (await ctx.persistence.inspect(meta.id)).events;
    const limitPages = (more: number) =>
      database.read((prepare) => {
        const { page_count } = prepare('pragma page_count').get() as { page_count: number };
        prepare(`pragma max_page_count = ${page_count + more}`).get();
      });

    await limitPages(1);
    log.prompt('x'.repeat(100_000)).startStep();
    other.prompt('short');
    const outcomes = await Promise.allSettled([sessions.flush(log.session), sessions.flush(other.session)]);

    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { message: 'database or disk is full' } },
      { status: 'fulfilled' },
    ]);
    await expect(sessions.flush(log.session)).rejects.toThrow('full');
    expect(await stored()).toHaveLength(1);
    expect((await ctx.persistence.inspect(other.session.id)).events).toHaveLength(2);

    await limitPages(1_000);
    log.answer().endStep().endTurn();
    await sessions.flush(log.session);
    expect(await stored()).toEqual(plain(log.session.events));
    await ctx.fiber.dispose();
    await database.close();
  });

  it('P28 a file that is replaced under a running process is not written past: the write is refused, the new file whole', async () => {
    const running = new SqliteDatabase({ path });
    const put = (cause: string) =>
      running.write((prepare) => prepare('insert into causes (repo, cause, delivery) values (1, ?, 1)').all(cause));
    await put('before');
    const copy = join(folder, 'copy.sqlite');
    await running.read((prepare) => prepare('select 1').all());
    using made = new DatabaseSync(path);
    made.exec(`vacuum into '${copy}'`);
    await put('after the copy');

    await rename(copy, path);
    await expect(put('late')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      hint: expect.stringMatching('Restart'),
    });

    using restored = new DatabaseSync(path);
    expect(restored.prepare('select cause from causes').all().map(plain)).toEqual([{ cause: 'before' }]);
    expect(restored.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    await running.close();
  });

  it('P28 a write-ahead log that is taken away loses nothing of what was stored', async () => {
    const running = new SqliteDatabase({ path });
    const put = (cause: string) =>
      running.write((prepare) => prepare('insert into causes (repo, cause, delivery) values (1, ?, 1)').all(cause));
    await put('stored');
    await rm(`${path}-wal`);
    expect(await codeOfRejection(put('late'))).toBe('DATABASE_UNAVAILABLE');

    await cp(path, join(folder, 'as-after-a-kill.sqlite'));
    using left = new DatabaseSync(join(folder, 'as-after-a-kill.sqlite'));
    expect(left.prepare('select cause from causes').all().map(plain)).toEqual([{ cause: 'stored' }]);
    await running.close();
  });

  it('B6 what is erased is gone from the file itself', async () => {
    const database = new SqliteDatabase({ path });
    const log = new LogWriter().startTurn().prompt('the-words-of-a-person '.repeat(2_000));
    await new SqliteBackend(database).appendBatch(meta, log.session.events, false);
    await openRecords(sqliteRecords(database), () => 0).settings.erase(meta.id);
    await database.close();

    expect((await readFile(path)).includes('the-words-of-a-person')).toBe(false);
  });
});
