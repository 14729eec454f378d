import { beforeEach, describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import { sessionQuery } from '../../../src/seams/session-query/session-query.ts';
import { LogWriter, rootWithSessions } from '../../harness/session/session-fixture.ts';
import { codeOfRejection, plain } from '../../store/contract-storage.ts';
import { header, live, mount, queryBench, ReadOnlyStorage } from './query-bench.ts';
import type { QueryBench } from './query-bench.ts';

describe('session-query', () => {
  let bench: QueryBench;
  beforeEach(async () => {
    bench = await queryBench();
  });

  it('Q1 a session in both sources is one record, and its events come from memory', async () => {
    bench.storage.put(header('both'), new LogWriter().shortTurn().session.events).put(header('stored'));
    live(bench, header('both')).startTurn();
    live(bench, header('live'));

    const records = await bench.query.listSessions();

    expect(Object.fromEntries(records.map(({ header: { id }, live, persisted }) => [id, [live, persisted]]))).toEqual({
      both: [true, true],
      stored: [false, true],
      live: [true, false],
    });
    expect(await bench.query.listEvents(SessionId('both'))).toHaveLength(1);
    expect(await bench.query.listEvents(SessionId('stored'))).toHaveLength(6);
  });

  it('Q2 a live session is read without asking storage, the corpus is not', async () => {
    const { id } = live(bench, header('live')).shortTurn().session;
    bench.storage.failsAt = 'list';

    await bench.query.readEvent({ sessionId: id, seq: 1 });
    await bench.query.readSurface(id);
    await bench.query.traceEvent({ sessionId: id, seq: 1 });
    await bench.query.readTitle(id);
    expect(bench.storage.asked).toEqual([]);

    await expect(bench.query.listSessions()).rejects.toMatchObject({
      code: 'SESSION_QUERY_PERSISTENCE_FAILED',
      cause: { message: 'disk gone' },
    });
    expect(await codeOfRejection(bench.query.traceSession(id))).toBe('SESSION_QUERY_PERSISTENCE_FAILED');
  });

  it('Q2 a log that cannot be read is told apart from one that is not there', async () => {
    bench.storage.put(header('s'));
    bench.storage.failsAt = 'inspect';

    expect(await codeOfRejection(bench.query.listEvents(SessionId('s')))).toBe('SESSION_QUERY_PERSISTENCE_FAILED');
    expect(await codeOfRejection(bench.query.listEvents(SessionId('x')))).toBe('SESSION_QUERY_SESSION_NOT_FOUND');
  });

  it('Q3 each call uses the storage that is mounted then', async () => {
    const { ctx, sessions } = await rootWithSessions();
    await ctx.plugin(sessionQuery, {});
    const query = ctx.sessionQuery;
    const ids = async () => (await query.listSessions()).map(({ header: { id } }) => id).toSorted();
    sessions.create(SessionId('live'));
    expect(await ids()).toEqual(['live']);
    expect(await codeOfRejection(query.listEvents(SessionId('a')))).toBe('SESSION_QUERY_SESSION_NOT_FOUND');

    const unmount = mount(ctx, new ReadOnlyStorage().put(header('a')));
    expect(await ids()).toEqual(['a', 'live']);
    await unmount();
    expect(await ids()).toEqual(['live']);

    mount(ctx, new ReadOnlyStorage().put(header('b')));
    await unmount();
    expect(await ids()).toEqual(['b', 'live']);
  });

  it('Q4 a stored log is listed, then inspected, and never mended', async () => {
    const events = new LogWriter().startTurn().prompt('hi').session.events;
    bench.storage.put(header('s'), events);

    expect(await bench.query.listEvents(SessionId('s'))).toHaveLength(2);
    expect(bench.storage.asked).toEqual(['list', 'inspect']);
  });

  it.each([{ createdAt: 1 }, { cwd: '/elsewhere' }, { parentSession: SessionId('p') }, { seedLength: 1 }])(
    'Q4 a log whose header changes to %j between both reads is a conflict',
    async (change) => {
      const { storage, query } = bench;
      storage.put(header('s'));
      storage.onAnswer = () => storage.put(header('s', change));

      expect(await codeOfRejection(query.listEvents(SessionId('s')))).toBe('SESSION_QUERY_SOURCE_CONFLICT');
    },
  );

  it('Q4 two sources that disagree are a conflict, but an absent depth is no other depth', async () => {
    bench.storage.put(header('s', { delegationDepth: 0 }));
    live(bench, header('s'));
    expect(await bench.query.listSessions()).toHaveLength(1);

    bench.storage.put(header('s', { cwd: '/elsewhere' }));
    expect(await codeOfRejection(bench.query.listSessions())).toBe('SESSION_QUERY_SOURCE_CONFLICT');
  });

  it('Q1 a session that comes to life while it is read is read from memory', async () => {
    const { storage, query } = bench;
    storage.put(header('s'));
    storage.onAnswer = (what) => {
      if (what === 'inspect') live(bench, header('s')).startTurn();
    };

    expect(await query.listEvents(SessionId('s'))).toHaveLength(1);
  });

  it('Q5 lists the newest first, then by id, and reads no log', async () => {
    bench.storage
      .put(header('b', { createdAt: 5 }))
      .put(header('a', { createdAt: 5 }))
      .put(header('old', { createdAt: 1 }));
    live(bench, header('new', { createdAt: 9 }));

    expect((await bench.query.listSessions()).map(({ header: { id } }) => id)).toEqual(['new', 'a', 'b', 'old']);
    expect(bench.storage.asked).toEqual(['list']);
  });

  it('Q6 what is returned is a copy: changing it changes neither log, storage nor later answers', async () => {
    const log = live(bench, header('live')).shortTurn();
    bench.storage.put(header('stored', { parentSession: SessionId('live') }));
    const { id } = log.session;
    const before = plain(log.session.events);
    const ask = async () => ({
      list: await bench.query.listSessions(),
      events: await bench.query.listEvents(id),
      surface: await bench.query.readSurface(id),
      window: await bench.query.readEvent({ sessionId: id, seq: 1, after: 2 }),
      lineage: await bench.query.traceSession(id),
    });
    const first = await ask();
    const kept = plain(first);

    scramble(first);

    expect(plain(await ask())).toEqual(kept);
    expect(plain(log.session.events)).toEqual(before);
    expect(bench.storage.sessions.get(SessionId('stored'))?.meta.createdAt).toBe(1_000);
  });

  it('Q16 nothing is kept between calls, and a call reads what it needs once: one log, or no log but the list', async () => {
    bench.storage.put(header('s')).put(header('t'));
    await bench.query.listEvents(SessionId('s'));
    expect(bench.storage.asked.splice(0)).toEqual(['list', 'inspect']);
    await bench.query.traceSession(SessionId('s'));
    expect(bench.storage.asked.splice(0)).toEqual(['list']);
    bench.storage.sessions.delete(SessionId('t'));
    bench.storage.put(header('s'), new LogWriter().shortTurn().shortTurn().session.events);

    expect(await bench.query.listEvents(SessionId('s'))).toHaveLength(12);
    bench.storage.sessions.clear();
    expect(await bench.query.listSessions()).toEqual([]);
  });
});

/** Overwrites every field, however deep. */
function scramble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    scramble((value as Record<string, unknown>)[key]);
    (value as Record<string, unknown>)[key] = 'scrambled';
  }
}
