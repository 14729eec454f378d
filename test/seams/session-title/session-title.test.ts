import { describe, expect, it } from '@jest/globals';
import { findLastMessageTurnEnd } from '../../../src/harness/session/find-last-message-turn-end.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { sessionTitle } from '../../../src/seams/session-title/session-title-service.ts';
import type { SessionTitleConfig } from '../../../src/seams/session-title/types.ts';
import { bench, eventsOf, gate, settle, text, typesOf } from '../../harness/agent/agent-bench.ts';
import { fails, says } from '../../support/scripted-model.ts';
import { codeOf, titleBench, titleProvider, titlesOf } from './title-bench.ts';

describe('session-title', () => {
  it('T1 T5 is in the log at once, latest wins, and no request, surface or history is another for it', async () => {
    const said = [says('one'), says('two')];
    const b = await titleBench(said);
    const plain = await bench(said);
    const other = await plain.create();
    for (const prompt of ['mend the total please now', 'and more']) {
      await b.say(prompt);
      other.agent.send(text(prompt));
      await other.agent.whenIdle();
    }

    expect(b.titles.get(b.session)).toMatchObject({
      title: 'mend the total please',
      messageSeqs: [1],
      source: { kind: 'fallback' },
      eventSeq: eventsOf(b.session, 'session/title')[0]!.seq,
    });
    expect(Object.isFrozen(b.titles.get(b.session))).toBe(true);
    expect(b.written()).toHaveLength(1);
    expect(b.model.requests.map(({ messages, system }) => ({ messages, system }))).toEqual(
      plain.model.requests.map(({ messages, system }) => ({ messages, system })),
    );
    expect(b.session.deriveMessages()).toEqual(other.agent.session.deriveMessages());
    expect(b.session.surface.nodes).toHaveLength(other.agent.session.surface.nodes.length);
  });

  it('T4 T11 wants limits that make sense, and has none of its own', async () => {
    const bad: Partial<SessionTitleConfig>[] = [
      { fallbackMaxWords: 0 },
      { fallbackMaxBytes: 1.5 },
      { maxTitleBytes: -1 },
      { fallbackMaxBytes: 61 },
      { graceMs: -1 },
    ];
    for (const config of bad) expect(await codeOf(titleBench([], config))).toBe('SESSION_TITLE_INVALID_CONFIG');
    const b = await bench();
    expect(await codeOf(async () => b.ctx.plugin(sessionTitle, {} as never))).toBe('SESSION_TITLE_INVALID_CONFIG');
  });

  it('T5 does not hold up the turn, and only tells of a failure', async () => {
    const b = await titleBench([says('ok'), says('ok')]);
    const asked: number[] = [];
    b.ctx.sessions.addValidator((_session, { type }) => {
      if (type !== 'session/title') return;
      asked.push(1);
      throw new Error('no title here');
    });
    await b.say('hello there');

    expect(asked).toHaveLength(1);
    expect(eventsOf(b.session, 'turn/end').map(({ data }) => data.reason.kind)).toEqual(['completed']);
    expect(b.errors.map((error) => (error as Error).message)).toEqual(['no title here']);
  });

  it('T6 writes one fallback, however many want it', async () => {
    const b = await titleBench([says('ok')]);
    b.agent.send(text('hello there'));
    const all = await Promise.all([1, 2, 3].map(() => settle().then(() => b.titles.refresh(b.session))));
    await b.agent.whenIdle();

    expect(b.written()).toEqual(['hello there']);
    expect(all.map((title) => title?.title)).toEqual(Array(3).fill('hello there'));
  });

  it('T5 T2 names no session that nobody wrote to', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('by a plugin', { source: { kind: 'plugin', plugin: 'x' } });
    expect(b.titles.get(b.session)).toBeUndefined();
    expect(await b.titles.refresh(b.session)).toBeUndefined();
    expect(b.written()).toEqual([]);
  });

  it('T13 joins the turn that is open, and makes a flushed one of its own where none is', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('hello there');
    const inTurn = typesOf(b.session);
    expect(inTurn.filter((type) => type === 'turn/start')).toHaveLength(1);
    expect(inTurn.indexOf('session/title')).toBeLessThan(inTurn.indexOf('turn/end'));

    const flushed: number[] = [];
    b.ctx.on('session/flush', (session) => void flushed.push(session.seq));
    await b.titles.rename(b.session, 'Mine');
    expect(typesOf(b.session).slice(-3)).toEqual(['turn/start', 'session/title', 'turn/end']);
    expect(eventsOf(b.session, 'turn/start').at(-1)!.data.trigger).toEqual({ kind: 'session-title' });
    expect(flushed).toEqual([b.session.seq]);
  });

  it('T14 writes one after the other, though all come at once', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('hello there');
    const slow = gate();
    b.ctx.on('session/flush', () => slow.promise);
    const all = ['A', 'B', 'C'].map((title) => b.titles.rename(b.session, title));
    await settle();
    expect(b.written()).toEqual(['hello there', 'A']);
    slow.resolve();
    await Promise.all(all);
    expect(b.written()).toEqual(['hello there', 'A', 'B', 'C']);
    expect(b.errors).toEqual([]);
  });

  it('T15 goes along with a fork', async () => {
    const b = await titleBench([says('ok'), says('child')]);
    const provider = titleProvider();
    b.titles.register(provider);
    await b.say('hello there');
    const child = await b.create({
      sessionId: SessionId('child'),
      seed: b.session.events,
      meta: { parentSession: b.session.id, seedLength: b.session.seq },
    });
    child.agent.send(text('something else'));
    await child.agent.whenIdle();
    await settle();

    expect(b.titles.get(child.agent.session)?.title).toBe('About hello there');
    expect(titlesOf(child.agent.session)).toEqual(titlesOf(b.session));
    expect(provider.asked).toHaveLength(1);
  });

  it('T22 is pinned by a person, until somebody asks for a new one', async () => {
    const b = await titleBench([says('ok'), says('ok'), says('ok')]);
    const provider = titleProvider('all-user-messages');
    b.titles.register(provider);
    await b.say('one');
    const renamed = await b.titles.rename(b.session, '  My \u001b[1mown\n name ');
    expect(renamed).toMatchObject({ title: 'My own name', messageSeqs: [], source: { kind: 'user' } });
    await b.say('two');
    expect(b.titles.get(b.session)?.title).toBe('My own name');
    expect(provider.asked).toHaveLength(1);

    expect((await b.titles.refresh(b.session))?.title).toBe('About one+two');
    await b.say('three');
    expect(b.titles.get(b.session)?.title).toBe('About one+two+three');
    expect(await codeOf(async () => b.titles.rename(b.session, ' \u200b '))).toBe('SESSION_TITLE_EMPTY');
  });

  it('T22 T10 without a provider a refresh takes a person’s name back to the fallback', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('hello there');
    await b.titles.rename(b.session, 'Mine');
    expect(await b.titles.refresh(b.session)).toMatchObject({ title: 'hello there', source: { kind: 'fallback' } });
    expect(b.titles.get(b.session)?.title).toBe('hello there');
  });

  it('T22 T15 keeps the pin in a fork, and supersedes what is under way', async () => {
    const late = gate<object>();
    const b = await titleBench([says('ok'), says('child')]);
    b.titles.register(titleProvider('all-user-messages', () => late.promise));
    await b.say('hello there');
    await b.titles.rename(b.session, 'Mine');
    late.resolve({ title: 'Too late' });
    await settle();
    expect(b.titles.get(b.session)?.title).toBe('Mine');

    const seed = b.session.events;
    const child = await b.create({ sessionId: SessionId('child'), seed, meta: { seedLength: seed.length } });
    child.agent.send(text('more'));
    await child.agent.whenIdle();
    await settle();
    expect(b.titles.get(child.agent.session)?.title).toBe('Mine');
    expect(b.errors).toEqual([]);
  });

  it('T1 is what it was after a turn that failed: the outcome of requests is not hidden by a title', async () => {
    const b = await titleBench([fails('BAD_REQUEST')]);
    await b.say('hello there');
    await b.titles.rename(b.session, 'Mine');
    expect(findLastMessageTurnEnd(b.session.events)?.data.reason.kind).toBe('error');
  });
});
