import { describe, expect, it } from '@jest/globals';
import { createScope, scopeTarget } from '../../../src/harness/scope/scope.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { codeOf, LogWriter, loneSession, MESSAGE, rootWithSessions, typesOf, USER } from './session-fixture.ts';

declare module '../../../src/harness/session/types.ts' {
  interface SessionEventMap {
    'test/fact': { value: number };
  }
  interface OutOfBandSessionEventMap {
    'test/fact': true;
  }
}

const TITLE = { kind: 'injection', source: USER } as const;
const A = SessionId('a');

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code ?? (error as Error).message,
  );
}

describe('session', () => {
  it('S31 a prepared session is not live until it enters, and entering twice collides', async () => {
    const { sessions } = await rootWithSessions();
    const [one, two] = [sessions.prepare(A), sessions.prepare(A)];

    expect(sessions.get(A)).toBeUndefined();
    sessions.enter(one);
    expect(codeOf(() => sessions.enter(two))).toBe('SESSION_ALREADY_EXISTS');
    expect(codeOf(() => sessions.enter(loneSession()))).toBe('SESSION_NOT_LIVE');
    expect(sessions.list()).toEqual([one]);
  });

  it('S31 a stale detach cannot remove a successor', async () => {
    const { sessions } = await rootWithSessions();
    const leave = sessions.enter(sessions.prepare(A));

    leave();
    leave();
    const successor = sessions.prepare(A);
    sessions.enter(successor);
    leave();

    expect(sessions.get(A)).toBe(successor);
  });

  it('S31 a session is announced once, and one that never was is not told as disposed', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const heard: string[] = [];
    ctx.on('session/created', ({ id }) => void heard.push(`created ${id}`));
    ctx.on('session/disposed', ({ id }) => void heard.push(`disposed ${id}`));
    const quiet = sessions.enter(sessions.prepare(SessionId('quiet')));
    const session = sessions.create(A);

    quiet();
    expect(codeOf(() => sessions.announce(session))).toBe('SESSION_ALREADY_EXISTS');
    sessions.detach(session);

    expect(heard).toEqual(['created a', 'disposed a']);
    expect(codeOf(() => sessions.detach(session))).toBe('SESSION_NOT_LIVE');
  });

  it('S31 a throw on creation vetoes the session, and its disposal is told', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const heard: string[] = [];
    ctx.on('session/created', () => void heard.push('created'));
    ctx.on('session/created', () => {
      throw new Error('no room');
    });
    ctx.on('session/disposed', () => void heard.push('disposed'));

    expect(() => sessions.create(A)).toThrow('no room');

    expect(heard).toEqual(['created', 'disposed']);
    expect(sessions.list()).toEqual([]);
  });

  it('S31 a detach asked for during a dispatch waits until it is over', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const live: boolean[] = [];
    ctx.on('session/created', (session) => {
      sessions.detach(session);
      live.push(sessions.isLive(session));
    });
    ctx.on('session/disposed', () => live.push(false));

    const session = sessions.create(A);

    expect(live).toEqual([true, false]);
    expect(sessions.isLive(session)).toBe(false);
  });

  it('S31 a detach asked for by an observer of an append happens after that append', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create(A);
    const heard: string[] = [];
    ctx.on('session/event', () => sessions.detach(session));
    ctx.on('session/event', (_session, event) => void heard.push(event.type));
    ctx.on('session/disposed', () => void heard.push('disposed'));

    new LogWriter(session).startTurn();

    expect(heard).toEqual(['turn/start', 'disposed']);
  });

  it('S31 the sessions leave with the plugin that keeps them', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const disposed: string[] = [];
    sessions.create(A);
    ctx.on('session/disposed', ({ id }) => void disposed.push(id));

    await ctx.fiber.children.values().next().value!.dispose();

    expect(disposed).toEqual(['a']);
    expect(ctx.get('sessions')).toBeUndefined();
  });

  it('session events reach plain listeners and those of the owning agent only', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const [owner, other] = [{}, {}];
    const heard: string[] = [];
    ctx.on('session/event', () => void heard.push('plain'));
    createScope(ctx, owner).ctx.on('session/event', () => void heard.push('owner'));
    createScope(ctx, other).ctx.on('session/event', () => void heard.push('other'));
    const session = sessions.prepare(A);
    sessions.enter(session, scopeTarget({}, owner));

    new LogWriter(session).startTurn();
    new LogWriter(sessions.create()).startTurn();

    expect(heard).toEqual(['plain', 'owner', 'plain']);
  });

  it('S32 flush waits for every listener, then rejects with the failure registered first', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create(A);
    const settled: string[] = [];
    const wait = (name: string, ms: number, fails: boolean) =>
      ctx.on('session/flush', async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        settled.push(name);
        if (fails) throw new Error(name);
      });
    wait('slow', 15, true);
    wait('quick', 1, true);
    wait('fine', 20, false);

    expect(await rejection(sessions.flush(session))).toBe('slow');
    expect(settled).toEqual(['quick', 'slow', 'fine']);
  });

  it('S32 flush rejects for unknown, detached and replaced sessions', async () => {
    const { sessions } = await rootWithSessions();
    const old = sessions.create(A);
    sessions.detach(old);

    expect(await rejection(sessions.flush(old))).toBe('SESSION_NOT_LIVE');
    sessions.create(A);
    expect(await rejection(sessions.flush(old))).toBe('SESSION_NOT_LIVE');
    expect(await rejection(sessions.flush(sessions.prepare()))).toBe('SESSION_NOT_LIVE');
  });

  it('S33 an out-of-band event joins an open turn without a flush, and else gets a flushed turn of its own', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const log = new LogWriter(sessions.create(A));
    let flushes = 0;
    ctx.on('session/flush', () => void (flushes += 1));

    const own = await sessions.appendOutOfBand(log.session, 'test/fact', { value: 1 }, TITLE);
    log.startTurn();
    const joined = await sessions.appendOutOfBand(log.session, 'test/fact', { value: 2 }, TITLE);

    expect(typesOf(log.session.events)).toEqual(['turn/start', 'test/fact', 'turn/end', 'turn/start', 'test/fact']);
    expect([own.data.value, joined.data.value, flushes]).toEqual([1, 2, 1]);
    expect(log.session.events[0]?.data).toEqual({ turn: 1, trigger: TITLE });
  });

  it('S33 a refused event still leaves a closed and flushed turn', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create(A);
    let flushes = 0;
    ctx.on('session/flush', () => void (flushes += 1));
    sessions.addValidator((_session, event) => {
      if (event.type === 'test/fact') throw new Error('refused');
    });

    expect(await rejection(sessions.appendOutOfBand(session, 'test/fact', { value: 1 }, TITLE))).toBe('refused');
    expect(typesOf(session.events)).toEqual(['turn/start', 'turn/end']);
    expect(flushes).toBe(1);
  });

  it('S33 overlapping out-of-band appends reject, and a detach waits for the one under way', async () => {
    const { ctx, sessions } = await rootWithSessions();
    const session = sessions.create(A);
    const gate = Promise.withResolvers<void>();
    const flush = ctx.on('session/flush', () => gate.promise);

    const first = sessions.appendOutOfBand(session, 'test/fact', { value: 1 }, TITLE);
    const second = sessions.appendOutOfBand(session, 'test/fact', { value: 2 }, TITLE);
    sessions.detach(session);

    expect(await rejection(second)).toBe('OVERLAPPING_APPEND');
    expect(sessions.isLive(session)).toBe(true);
    gate.resolve();
    expect((await first).data.value).toBe(1);
    expect(sessions.isLive(session)).toBe(false);
    await flush();
  });

  it('S34 a fork holds the log through a turn end and knows where it comes from', async () => {
    const { sessions } = await rootWithSessions();
    const source = sessions.create(A, { meta: { cwd: '/work', delegationDepth: 2 } });
    new LogWriter(source).shortTurn('one').shortTurn('two');

    const child = sessions.fork(A, 5, SessionId('b'));
    const whole = sessions.fork(source);

    expect(child.events).toEqual(source.events.slice(0, 6));
    expect(child.header).toMatchObject({
      id: 'b',
      cwd: '/work',
      parentSession: 'a',
      seedLength: 6,
    });
    expect(whole.seq).toBe(12);
    new LogWriter(child).shortTurn('three');
    expect(source.seq).toBe(12);
    expect(sessions.list()).toEqual([source, child, whole]);
  });

  it('S34 a fork says why it cannot be made, a taken id before a bad boundary', async () => {
    const { sessions } = await rootWithSessions();
    const log = new LogWriter(sessions.create(A)).shortTurn().startTurn();
    const fork = (boundary?: number, id?: string) => codeOf(() => sessions.fork(A, boundary, id as SessionId));

    expect(fork()).toBe('OPEN_TURN');
    for (const boundary of [0, 6, 99, -1, 4.5]) expect(fork(boundary)).toBe('INVALID_BOUNDARY');
    expect(fork(99, 'a')).toBe('SESSION_ALREADY_EXISTS');
    expect(codeOf(() => sessions.fork(SessionId('gone')))).toBe('SESSION_NOT_FOUND');
    sessions.detach(log.session);
    expect(codeOf(() => sessions.fork(log.session))).toBe('SESSION_NOT_LIVE');
  });

  it('S34 an empty source gives an empty child', async () => {
    const { sessions } = await rootWithSessions();
    sessions.create(A);

    const child = sessions.fork(A);

    expect(child.header).toMatchObject({ parentSession: 'a', seedLength: 0 });
    expect(child.events).toEqual([]);
    child.append('turn/start', { turn: 1, trigger: MESSAGE });
    expect(codeOf(() => sessions.fork(child.id, 0))).toBe('INVALID_BOUNDARY');
  });
});
