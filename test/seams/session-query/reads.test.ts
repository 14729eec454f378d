import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Session } from '../../../src/harness/session/session.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { sessionQuery } from '../../../src/seams/session-query/session-query.ts';
import { appendRaw, LogWriter, rootWithSessions, text } from '../../harness/session/session-fixture.ts';
import { codeOfRejection, plain } from '../../store/contract-storage.ts';
import { condense, header, live, queryBench } from './query-bench.ts';
import type { QueryBench } from './query-bench.ts';

describe('session-query', () => {
  let bench: QueryBench;
  const id = SessionId('s');
  beforeEach(async () => {
    bench = await queryBench();
  });

  /** Two turns; the first one's question and answer were condensed during the second. Surface: 8, 7, 9. */
  function condensed(): Session {
    const log = live(bench, header('s')).shortTurn('old').startTurn().prompt('new');
    condense(log.session, 1, 3);
    log.context('more');
    return log.session;
  }

  it('Q7 every event in order, with where it stands now', async () => {
    const { events } = condensed();

    const records = await bench.query.listEvents(id);

    expect(records.map(({ sessionId, seq, type, time }) => [sessionId, seq, type, time])).toEqual(
      events.map(({ seq, type, time }) => ['s', seq, type, time]),
    );
    expect(records.map(({ surface }) => surface)).toEqual([
      'log-only',
      'shadowed',
      'log-only',
      'shadowed',
      'log-only',
      'log-only',
      'log-only',
      'current',
      'current',
      'current',
    ]);
  });

  it('Q8 the surface in model order, as of one moment', async () => {
    const session = condensed();

    const { capturedThroughSeq, events, session: of } = await bench.query.readSurface(id);

    expect(of).toEqual(session.header);
    expect(capturedThroughSeq).toBe(9);
    expect(events.map(({ seq }) => seq)).toEqual(session.surface.nodes);
    expect(events.map(({ seq }) => seq)).toEqual([8, 7, 9]);
    live(bench, header('empty'));
    expect(await bench.query.readSurface(SessionId('empty'))).toMatchObject({ capturedThroughSeq: null, events: [] });
  });

  it('Q9 an event with its neighbours, cut at both ends of the log', async () => {
    const { events } = condensed();
    const read = (seq: number, before?: number, after?: number) =>
      bench.query.readEvent({ sessionId: id, seq, before, after });

    expect(plain(await read(4))).toEqual({
      session: header('s'),
      target: events[4],
      events: [events[4]],
      startSeq: 4,
      endSeq: 4,
    });
    expect(await read(1, 3, 2)).toMatchObject({ startSeq: 0, endSeq: 3 });
    expect(plain((await read(8, 1, 50)).events)).toEqual(plain(events.slice(7)));
    for (const seq of [10, -1, 1.5, NaN])
      expect(await codeOfRejection(read(seq))).toBe('SESSION_QUERY_EVENT_NOT_FOUND');
  });

  it('Q9 a window beyond the limit is refused before any source is read', async () => {
    bench.storage.put(header('s'));
    for (const window of [{ before: 51 }, { after: -1 }, { after: 0.5 }, { before: NaN }]) {
      const read = bench.query.readEvent({ sessionId: id, seq: 0, ...window });
      expect(await codeOfRejection(read)).toBe('SESSION_QUERY_INVALID_WINDOW');
    }
    expect(bench.storage.asked).toEqual([]);
  });

  it.each([-1, 1.5, NaN, '5'])('Q9 readWindowMax %p is refused, and nothing is provided', async (readWindowMax) => {
    const { ctx } = await rootWithSessions();

    const mounting = ctx.plugin(sessionQuery, { readWindowMax: readWindowMax as number });

    expect(await codeOfRejection(Promise.resolve(mounting))).toBe('SESSION_QUERY_INVALID_CONFIG');
    expect(ctx.get('sessionQuery')).toBeUndefined();
  });

  it('Q10 the latest title, none, and no session are three answers', async () => {
    const { session } = live(bench, header('s')).startTurn();
    expect(await bench.query.readTitle(id)).toBeUndefined();
    appendRaw(session, 'session/title', { title: 'first', messageSeqs: [1], source: { kind: 'fallback' } });
    const { seq, time } = appendRaw(session, 'session/title', {
      title: 'second',
      messageSeqs: [1],
      source: { kind: 'fallback' },
    });

    expect(await bench.query.readTitle(id)).toMatchObject({
      title: 'second',
      messageSeqs: [1],
      eventSeq: seq,
      updatedAt: time,
    });
    expect(await codeOfRejection(bench.query.readTitle(SessionId('x')))).toBe('SESSION_QUERY_SESSION_NOT_FOUND');
  });

  it('Q12 replacement and provenance are told apart', async () => {
    const log = live(bench, header('s')).turnWithCalls('c1').startCall('c1').endCall('c1', 'long text');
    const { session } = log;
    const { data } = session.events[5] as SessionEvent<'tool/result'>;
    const rewritten = { ...data, content: text('cut') };
    session.append('tool/result', rewritten, { surfaceOp: { op: 'replace', start: 5, end: 5 }, sourceEventSeqs: [5] });
    log.endStep();
    const last = condense(session, 1, 6);
    const trace = (seq: number) => bench.query.traceEvent({ sessionId: id, seq });

    expect(await trace(5)).toMatchObject({
      target: { seq: 5, surface: 'shadowed' },
      replacedBy: 6,
      replacementChain: [6, last],
      replacedEventSeqs: [],
      sourceEventSeqs: [4],
      derivedEventSeqs: [6],
    });
    expect(await trace(last)).toMatchObject({
      target: { surface: 'current' },
      replacementChain: [],
      replacedEventSeqs: [1, 3, 6],
      sourceEventSeqs: [1, 3, 6],
      derivedEventSeqs: [],
    });
    expect(await trace(last)).not.toHaveProperty('replacedBy');
    expect(await trace(4)).toMatchObject({ target: { surface: 'log-only' }, derivedEventSeqs: [5] });
  });

  describe('a stored log that breaks a rule', () => {
    const surface = (more: object) => ({
      type: 'user/message',
      data: { content: text('x'), source: { kind: 'user' } },
      ...more,
    });
    const start = { type: 'turn/start', data: { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } } };
    const append = { surfaceOp: 'append' };
    const replace = { surfaceOp: { op: 'replace', start: 1, end: 1 } };
    const put = (...events: object[]) =>
      bench.storage.put(
        header('s'),
        [start, ...events].map((event, seq) => ({ seq, time: 1, ...event })) as unknown as SessionEvent[],
      );
    const sparse = [0, 0];
    delete sparse[0];

    it.each([
      ['a marker on a log-only event', [{ type: 'todo/write', data: { todos: [] }, ...append }]],
      ['a missing marker', [surface({})]],
      ['sparse sources', [surface({ ...append, sourceEventSeqs: sparse })]],
      ['doubled sources', [surface({ ...append, sourceEventSeqs: [0, 0] })]],
      ['empty sources', [surface({ ...append, sourceEventSeqs: [] })]],
      ['future sources', [surface({ ...append, sourceEventSeqs: [1] })]],
      ['negative sources', [surface({ ...append, sourceEventSeqs: [-1] })]],
      ['an uncovered replacement', [surface(append), surface({ ...replace, sourceEventSeqs: [0] })]],
      ['a gap', [surface(append), surface({ ...append, seq: 3 })]],
    ])('Q15 Q11 %s fails every folding read, also of a sound event, but no raw one', async (_name, events) => {
      put(...events);

      expect(await codeOfRejection(bench.query.listEvents(id))).toBe('SESSION_QUERY_INVALID_SURFACE');
      expect(await codeOfRejection(bench.query.readSurface(id))).toBe('SESSION_QUERY_INVALID_SURFACE');
      expect(await codeOfRejection(bench.query.traceEvent({ sessionId: id, seq: 0 }))).toBe(
        'SESSION_QUERY_INVALID_SURFACE',
      );
      expect((await bench.query.readEvent({ sessionId: id, seq: 0 })).target.type).toBe('turn/start');
    });

    it('Q11 an event that is not there is told before the log is judged', async () => {
      put(surface({}));

      expect(await codeOfRejection(bench.query.traceEvent({ sessionId: id, seq: 2 }))).toBe(
        'SESSION_QUERY_EVENT_NOT_FOUND',
      );
    });

    it('Q15 a sound log passes', async () => {
      bench.storage.put(header('s'), new LogWriter().shortTurn().session.events);

      expect((await bench.query.readSurface(id)).events).toHaveLength(2);
    });
  });
});
