import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import {
  appendRaw,
  codeOf,
  LogWriter,
  loneSession,
  MESSAGE,
  rootWithSessions,
  text,
  typesOf,
  USER,
} from './session-fixture.ts';

describe('session', () => {
  it('S1 numbers events from 0 without gaps and stamps whole milliseconds', () => {
    const { session } = new LogWriter().startTurn().prompt('hi').startStep().chunk('a').chunk('b');

    expect(session.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    expect(session.events.every(({ time }) => Number.isSafeInteger(time))).toBe(true);
    expect(typesOf(session.events).filter((type) => type === 'assistant/chunk')).toHaveLength(2);
    expect(session.seq).toBe(5);
    expect(session.eventAt(4)).toBe(session.events[4]);
  });

  it('S2 rejects data and surface metadata that is not JSON, with nothing written', () => {
    const { session } = new LogWriter().startTurn();

    expect(() => appendRaw(session, 'todo/write', { todos: [{ content: undefined }] })).toThrow(TypeError);
    expect(() => appendRaw(session, 'todo/write', new Map())).toThrow(TypeError);
    expect(() =>
      appendRaw(session, 'user/message', { content: text('x'), source: USER }, { surfaceOp: () => 'append' }),
    ).toThrow(TypeError);
    expect(codeOf(() => appendRaw(session, 'todo/write', 'text'))).toBe('INVALID_EVENT');
    expect(session.seq).toBe(1);
  });

  it('S3 stores a frozen copy and hands out one frozen array that never grows', () => {
    const { session } = new LogWriter().startTurn();
    const data = { content: text('before'), source: USER };
    const event = session.append('user/message', data, { surfaceOp: 'append' });
    const held = session.events;

    data.content[0] = { type: 'text', text: 'after' };
    session.append('step/start', { turn: 1, step: 1 });

    expect(event.data.content).toEqual(text('before'));
    expect([event, event.data, event.data.content[0]].every(Object.isFrozen)).toBe(true);
    expect(held).toHaveLength(2);
    expect(Object.isFrozen(held)).toBe(true);
    expect(session.events).toBe(session.events);
    expect(session.events).not.toBe(held);
  });

  it('S4 a veto leaves log, surface and seq as they were, and the next append takes the same seq', async () => {
    const { sessions } = await rootWithSessions();
    const log = new LogWriter(sessions.create()).startTurn();
    const seen: string[] = [];
    const stop = sessions.addValidator((_session, event) => {
      seen.push(`${event.seq} ${Object.isFrozen(event.data)}`);
      if (event.type === 'user/message') throw new Error('vetoed');
    });

    expect(() => log.prompt('no')).toThrow('vetoed');
    const before = [log.session.seq, log.session.surface.nodes.length];
    stop();
    log.prompt('yes');

    expect(seen).toEqual(['1 true']);
    expect(before).toEqual([1, 0]);
    expect(log.session.surface.nodes).toEqual([1]);
  });

  it('S4 a filter decides what is stored of the data, before anybody is asked or told', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create(SessionId('filtered'));
    const seen: unknown[] = [];
    sessions.addValidator((_session, { data }) => void seen.push(data));
    ctx.on('session/event', (_session, { data }) => void seen.push(data));
    new LogWriter(session).startTurn();
    seen.length = 0;
    const remove = sessions.addFilter((data) => ('todos' in data ? { todos: [] } : data));

    const todos = [{ content: 'a', status: 'pending' as const }];
    const filtered = session.append('todo/write', { todos });
    remove();
    session.append('todo/write', { todos });

    expect(filtered.data).toEqual({ todos: [] });
    expect(Object.isFrozen(filtered.data)).toBe(true);
    expect(seen).toEqual([{ todos: [] }, { todos: [] }, { todos }, { todos }]);
    sessions.addFilter(() => ({ bad: undefined }));
    expect(() => session.append('todo/write', { todos })).toThrow(TypeError);
    expect(session.seq).toBe(3);
  });

  it('S4 asks nobody about an event that the log or the surface refuses', async () => {
    const { sessions } = await rootWithSessions();
    const session = sessions.create();
    const asked: string[] = [];
    sessions.addValidator((_session, event) => void asked.push(event.type));

    expect(codeOf(() => session.append('todo/write', { todos: [] }))).toBe('NOT_ENCLOSED');
    session.append('turn/start', { turn: 1, trigger: MESSAGE });
    expect(codeOf(() => appendRaw(session, 'user/message', { content: [], source: USER }))).toBe('INVALID_SURFACE');

    expect(asked).toEqual(['turn/start']);
  });

  it('S5 a throwing or rejecting observer is reported and the others still hear of the event', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const heard: string[] = [];
    const reported: string[] = [];
    ctx.on('kernel/error', (error, origin) => void reported.push(`${origin}: ${(error as Error).message}`));
    ctx.on('session/event', () => {
      throw new Error('thrown');
    });
    ctx.on('session/event', (() => Promise.reject(new Error('rejected'))) as () => void);
    ctx.on('session/event', (_session, event) => void heard.push(event.type));

    const event = sessions.create().append('turn/start', { turn: 1, trigger: MESSAGE });
    await new Promise(setImmediate);

    expect(event.seq).toBe(0);
    expect(heard).toEqual(['turn/start']);
    expect(reported).toEqual(['session/event: thrown', 'session/event: rejected']);
  });

  it('S5 not even an invariant of the kernel can fail an append after its commit', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create();
    const reported: unknown[] = [];
    ctx.on('kernel/error', (error) => void reported.push(error));
    ctx.on('kernel/dispatch', ({ name }) => {
      if (name === 'session/event') throw new Error('invariant');
    });

    session.append('turn/start', { turn: 1, trigger: MESSAGE });

    expect(session.seq).toBe(1);
    expect(reported).toHaveLength(1);
  });

  it('S6 an observer cannot append to the session it hears of, but can to another one', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const [session, other] = [sessions.create(SessionId('one')), sessions.create(SessionId('two'))];
    const reported: unknown[] = [];
    const order: number[] = [];
    ctx.on('kernel/error', (error) => void reported.push((error as { code?: string }).code));
    ctx.on('session/event', (heard) => {
      if (heard === session && session.seq === 1) other.append('turn/start', { turn: 1, trigger: MESSAGE });
      if (heard === session) session.append('todo/write', { todos: [] });
    });
    ctx.on('session/event', (heard, event) => void (heard === session && order.push(event.seq)));

    new LogWriter(session).startTurn().prompt('hi');

    expect(typesOf(session.events)).toEqual(['turn/start', 'user/message']);
    expect(typesOf(other.events)).toEqual(['turn/start']);
    expect(reported).toEqual(['REENTRANT_APPEND', 'REENTRANT_APPEND']);
    expect(order).toEqual([0, 1]);
  });

  it('S6 a getter that appends while data is read comes before the event it belongs to', () => {
    const { session } = new LogWriter().startTurn();

    session.append('todo/write', {
      get todos() {
        session.append('todo/write', { todos: [] });
        return [{ content: 'outer', status: 'pending' as const }];
      },
    });

    expect(session.events.map(({ seq }) => seq)).toEqual([0, 1, 2]);
    expect(session.events[2]?.data).toEqual({ todos: [{ content: 'outer', status: 'pending' }] });
  });

  it('a log of 100,000 events copies nothing for those who do not ask for the list', () => {
    const log = new LogWriter().startTurn().prompt('hi').startStep();
    const derived = log.session.deriveMessages();
    const chunk = { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'x' } as const };

    const held = log.session.events;
    for (let i = 0; i < 100_000; i++) log.session.append('assistant/chunk', chunk);

    expect(held).toHaveLength(3);
    expect(log.session.seq).toBe(100_003);
    expect(log.session.deriveMessages()[0]).toBe(derived[0]);
    expect(log.session.eventAt(100_002)?.type).toBe('assistant/chunk');
    expect(loneSession(log.session.events).seq).toBe(100_003);
  });
});
