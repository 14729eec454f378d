import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import { foldSessionTitle } from '../../../src/seams/session-title/fold-title.ts';
import { eventsOf, gate, settle, text } from '../../harness/agent/agent-bench.ts';
import { says } from '../../support/scripted-model.ts';
import { codeOf, titleBench, titleProvider } from './title-bench.ts';

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

describe('session-title', () => {
  it('T7 asks the provider once the conversation’s own route is known, and with it', async () => {
    const b = await titleBench([says('ok')]);
    const provider = titleProvider();
    b.titles.register(provider);
    let asked = -1;
    b.ctx.on('agent/pre-step', () => void (asked = provider.asked.length));
    await b.say('hello there');

    expect(asked).toBe(0);
    expect(provider.asked[0]).toMatchObject({ route: { provider: 'test', model: 'm1' }, session: b.session });
    expect(b.written()).toEqual(['hello there', 'About hello there']);
    expect(b.titles.get(b.session)!.source).toEqual({ kind: 'provider', provider: 'test-titles' });
  });

  it('T7 T8 starts again with an unchanged header, by the request of the loop, with all messages', async () => {
    const b = await titleBench([says('ok'), says('ok'), says('ok')]);
    const provider = titleProvider('all-user-messages');
    b.titles.register(provider);
    for (const prompt of ['one', 'two', 'three']) await b.say(prompt);

    expect(eventsOf(b.session, 'request/header')).toHaveLength(1);
    expect(provider.asked.map(({ messages }) => messages.map(({ text: said }) => said))).toEqual([
      ['one'],
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]);
  });

  it('T7 is not started by requests beside the conversation', async () => {
    const b = await titleBench([says('aside'), says('ok')]);
    const provider = titleProvider();
    b.titles.register(provider);
    const seen: number[] = [];
    b.ctx.on('agent/session-prefix', async (agent, _prefix, _signal, next) => {
      const options = { provider: 'test', model: 'm1', messages: [], sessionId: agent.id };
      for await (const _chunk of b.ctx.llm.stream(Object.freeze(options))) void 0;
      await settle();
      seen.push(provider.asked.length);
      return next();
    });
    await b.say('hello there');
    expect(seen).toEqual([0]);
    expect(provider.asked).toHaveLength(1);
  });

  it('T8 asks for a first message once, not for a child, and does not try again by itself', async () => {
    const b = await titleBench([says('ok'), says('ok'), says('ok')]);
    const provider = titleProvider('first-message', () => Promise.reject(new Error('no luck')));
    b.titles.register(provider);
    await b.say('one');
    await b.say('two');
    expect(provider.asked).toHaveLength(1);
    expect(b.errors.map((error) => (error as Error).message)).toEqual(['no luck']);
    expect(b.written()).toEqual(['one']);

    const child = await b.create({ sessionId: SessionId('child'), meta: { parentSession: b.session.id } });
    child.agent.send(text('by a person'));
    await child.agent.whenIdle();
    await settle();
    expect(provider.asked).toHaveLength(1);
  });

  it('T9 aborts older work for a newer message; what ignores that still writes nothing', async () => {
    const first = gate<object>();
    const b = await titleBench([says('ok'), says('ok')]);
    let calls = 0;
    const provider = titleProvider('all-user-messages', () =>
      (calls += 1) === 1 ? first.promise : { title: 'Newer' },
    );
    b.titles.register(provider);
    await b.say('one');
    await b.say('two');
    expect(provider.asked[0]!.signal.aborted).toBe(true);
    first.resolve({ title: 'Older' });
    await settle();
    expect(b.written()).toEqual(['one', 'Newer']);
    expect(b.errors).toEqual([]);
  });

  it('T9 aborts for a session that goes, and for a refresh', async () => {
    const b = await titleBench([says('ok')]);
    const held = [gate<object>(), gate<object>()];
    let calls = 0;
    const provider = titleProvider('first-message', () => held[(calls += 1) - 1]!.promise);
    b.titles.register(provider);
    await b.say('hello there');
    const refreshed = b.titles.refresh(b.session);
    await settle();
    expect(provider.asked[0]!.signal.aborted).toBe(true);
    held[0]!.resolve({ title: 'First' });
    b.ctx.sessions.detach(b.session);
    expect(provider.asked[1]!.signal.aborted).toBe(true);
    held[1]!.resolve({ title: 'Second' });
    expect(await codeOf(refreshed)).toBe('SESSION_TITLE_SUPERSEDED');
    expect(b.written()).toEqual(['hello there']);
  });

  it('T10 refreshes a live session only, and not for somebody who has gone', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('hello there');
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(b.titles.refresh(b.session, gone)).rejects.toThrow('gone');
    b.ctx.sessions.detach(b.session);
    expect(await codeOf(b.titles.refresh(b.session))).toBe('SESSION_TITLE_NOT_LIVE');
  });

  it('T10 rejects with what the provider throws, and when it is cancelled; the fallback stays', async () => {
    const b = await titleBench([says('ok')]);
    await b.say('hello there');
    const failing = b.titles.register(titleProvider('first-message', () => Promise.reject(new Error('no luck'))));
    await expect(b.titles.refresh(b.session)).rejects.toThrow('no luck');
    await failing();
    b.titles.register(titleProvider('first-message', ({ signal }) => aborted(signal).then(() => ({ title: 'x' }))));
    const controller = new AbortController();
    const refreshing = b.titles.refresh(b.session, controller.signal);
    await settle();
    controller.abort(new Error('never mind'));
    await expect(refreshing).rejects.toThrow('never mind');
    expect(b.written()).toEqual(['hello there']);
  });

  it('T11 takes one provider, whose disposer waits for what ignores it, and no next one before', async () => {
    const late = gate<object>();
    const b = await titleBench([says('ok')]);
    const leave = b.titles.register(titleProvider('first-message', () => late.promise));
    expect(await codeOf(() => b.titles.register(titleProvider()))).toBe('SESSION_TITLE_PROVIDER_EXISTS');
    await b.say('hello there');
    let isGone = false;
    const leaving = leave().then(() => (isGone = true));
    await settle();
    expect(isGone).toBe(false);
    expect(await codeOf(() => b.titles.register(titleProvider()))).toBe('SESSION_TITLE_PROVIDER_EXISTS');
    late.resolve({ title: 'Late' });
    await leaving;
    expect(b.written()).toEqual(['hello there']);
    await b.titles.register(titleProvider())();
  });

  it.each([
    ['no id', { id: '' }],
    ['an unknown mode', { automatic: 'often' }],
    ['no way to generate', { generate: undefined }],
  ])('T11 refuses a provider with %s', async (_what, wrong) => {
    const b = await titleBench();
    const provider = { ...titleProvider(), ...wrong } as never;
    expect(await codeOf(() => b.titles.register(provider))).toBe('SESSION_TITLE_INVALID_PROVIDER');
    b.titles.register(titleProvider());
  });

  it.each<[string, object]>([
    ['no text', { title: 3 }],
    ['nothing to see', { title: ' \u200b\u001b[0m' }],
    ['no messages', { title: 'x', messageSeqs: [] }],
    ['messages that are none', { title: 'x', messageSeqs: 'all' }],
    ['messages of others', { title: 'x', messageSeqs: [99] }],
    ['a message twice', { title: 'x', messageSeqs: [1, 1] }],
    ['half a model', { title: 'x', model: { provider: 'p', model: '' } }],
  ])('T12 keeps the old title when the new one has %s', async (_what, result) => {
    const b = await titleBench([says('ok')]);
    b.titles.register(titleProvider('first-message', () => result));
    await b.say('hello there');
    expect(b.written()).toEqual(['hello there']);
    expect(b.errors).toMatchObject([{ code: 'SESSION_TITLE_INVALID_RESULT' }]);
  });

  it('T12 wants messages in order, and cuts a title to its bytes', async () => {
    const b = await titleBench([says('ok'), says('ok')]);
    let calls = 0;
    const long = { title: `${'é'.repeat(40)}`, model: { provider: 'p', model: 'm', more: 1 } };
    b.titles.register(
      titleProvider('all-user-messages', () => ((calls += 1) === 1 ? long : { title: 'x', messageSeqs: [9, 1] })),
    );
    await b.say('one');
    await b.say('two');
    expect(b.written()).toEqual(['one', 'é'.repeat(30)]);
    expect(b.titles.get(b.session)!.source).toEqual({
      kind: 'provider',
      provider: 'test-titles',
      model: { provider: 'p', model: 'm' },
    });
  });

  it('T16 unloads only when nothing runs any more, and is quiet about what fails then', async () => {
    const late = gate<object>();
    const b = await titleBench([says('ok')]);
    b.titles.register(titleProvider('first-message', ({ signal }) => aborted(signal).then(() => late.promise)));
    await b.say('hello there');
    let isGone = false;
    const leaving = b.ctx.fiber.dispose().then(() => (isGone = true));
    await settle();
    expect(isGone).toBe(false);
    late.reject(new Error('afterwards'));
    await leaving;
    expect(b.errors).toEqual([]);
    expect(b.written()).toEqual(['hello there']);
  });

  it.each([
    ['what is ready within it is written', 1_000, 'In time'],
    ['what takes longer is aborted', 1, 'hello there'],
    ['without one nothing is waited for', 0, 'hello there'],
  ])('T16 B3 the short while that work has when it is unloaded: %s', async (_what, graceMs, title) => {
    const b = await titleBench([says('ok')], { graceMs });
    const soon = ({ signal }: { signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, 100, { title: 'In time' });
        signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))));
      });
    const { session } = b;
    b.titles.register(titleProvider('first-message', soon));
    await b.say('hello there');
    expect(b.written()).toEqual(['hello there']);

    await b.service.dispose();

    expect(foldSessionTitle(session.events)?.title).toBe(title);
    expect(b.errors).toEqual([]);
  });

  it.each([
    [1_000, 'In time'],
    [1, 'hello there'],
  ])(
    'B3 a session that is to close waits %d ms for a name at most, and not at all where none is under way',
    async (ms, title) => {
      const b = await titleBench([says('ok')]);
      const started = performance.now();
      await b.titles.settledWithin(60_000);
      expect(performance.now() - started).toBeLessThan(5_000);
      b.titles.register(
        titleProvider('first-message', () => new Promise((resolve) => setTimeout(resolve, 60, { title: 'In time' }))),
      );
      await b.say('hello there');

      await b.titles.settledWithin(ms);
      b.ctx.sessions.detach(b.session);

      expect(b.written().at(-1)).toBe(title);
    },
  );

  it('T10 cancelling while the fallback is written takes nothing of it back, and rejects all the same', async () => {
    const b = await titleBench([says('ok')]);
    const slow = gate();
    const session = b.ctx.sessions.create();
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    session.append('user/message', { content: text('by hand'), source: { kind: 'user' } }, { surfaceOp: 'append' });
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    b.ctx.on('session/flush', () => slow.promise);
    const controller = new AbortController();

    const refreshing = b.titles.refresh(session, controller.signal);
    await settle();
    controller.abort(new Error('never mind'));
    slow.resolve();

    await expect(refreshing).rejects.toThrow('never mind');
    expect(foldSessionTitle(session.events)?.title).toBe('by hand');
  });
});
