import { describe, expect, it } from '@jest/globals';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from './agent-bench.ts';

const CI = { kind: 'plugin', plugin: 'ci' } as const;

describe('agent', () => {
  it('A7 an injection into an open turn stands where it was made, with its meta, and the model sees the content', async () => {
    const { ctx, model, create } = await bench([says('one'), says('two')]);
    const { agent } = await create();
    ctx.on('agent/pre-step', (_agent, _turn, step) => {
      if (step === 1) agent.inject(text('a push'), { source: CI, meta: { sha: 'abc' } });
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(typesOf(agent.session).slice(0, 4)).toEqual(['turn/start', 'user/message', 'context/message', 'step/start']);
    expect(eventsOf(agent.session, 'context/message')[0]!.data).toEqual({
      content: text('a push'),
      source: CI,
      meta: { sha: 'abc' },
    });
    expect(model.requests[0]!.messages).toEqual([
      { role: 'user', content: text('hello') },
      { role: 'user', content: text('a push') },
    ]);
  });

  it('A7 injections during a tool batch wait, in order, until every result is recorded', async () => {
    const { ctx, create } = await bench([callsAll(['one'], ['two']), says('ok')]);
    const { agent } = await create();
    for (const name of ['one', 'two']) {
      ctx.tools.register(
        tool(name, async (_args, exec) => {
          agent.inject(text(`injected by ${name}`), { source: CI });
          exec.deferContext({ content: text(`deferred by ${name}`), source: CI });
          return text('done');
        }),
      );
    }

    agent.send(text('hello'));
    await agent.whenIdle();

    const batch = typesOf(agent.session).slice(4, 14);
    expect(batch).toEqual([
      'assistant/message',
      'tool/call',
      'tool/result',
      'tool/call',
      'tool/result',
      'context/message',
      'context/message',
      'context/message',
      'context/message',
      'step/end',
    ]);
    expect(eventsOf(agent.session, 'context/message').map(({ data }) => data.content)).toEqual([
      text('injected by one'),
      text('deferred by one'),
      text('injected by two'),
      text('deferred by two'),
    ]);
  });

  it.each([
    ['a cancel', 'aborted'],
    ['disposal', 'disposed'],
  ] as const)(
    'A7 what waited for a batch is recorded before the turn closes, also after %s',
    async (_what, outcome) => {
      const { ctx, create } = await bench([callsAll(['slow'], ['never'])]);
      const { agent, dispose } = await create();
      ctx.tools.register(
        tool('slow', async (_args, { signal }) => {
          agent.inject(text('while it ran'), { source: CI });
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return text('stopped');
        }),
      );
      agent.send(text('hello'));
      await settle();

      if (outcome === 'aborted') agent.cancel();
      else await dispose();
      await agent.whenIdle();

      expect(typesOf(agent.session).slice(4)).toEqual([
        'assistant/message',
        'tool/call',
        'tool/result',
        'tool/call',
        'tool/result',
        'context/message',
        'step/end',
        'turn/end',
      ]);
      expect(ends(agent.session)).toEqual([{ kind: outcome }]);
    },
  );

  it('A8 an open turn is read from the log: between two turns of one running interval an injection stands alone', async () => {
    const { ctx, create } = await bench([says('one')]);
    const { agent } = await create();
    ctx.on('session/flush', () => {
      if (eventsOf(agent.session, 'turn/start').length > 1) return;
      expect(agent.status).toBe('running');
      agent.inject(text('after the end'), { source: CI });
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'turn/start').map(({ data }) => data.trigger.kind)).toEqual([
      'message',
      'injection',
    ]);
    expect(typesOf(agent.session).slice(-3)).toEqual(['turn/start', 'context/message', 'turn/end']);
  });

  it('A9 an injection into an idle agent is a turn of its own, written at once and flushed', async () => {
    const { ctx, create } = await bench();
    const { agent } = await create();
    let flushes = 0;
    ctx.on('session/flush', () => void (flushes += 1));

    agent.inject(text('a push'), { source: CI });

    expect(agent.session.events.map(({ type, data }) => [type, data])).toEqual([
      ['turn/start', { turn: 1, trigger: { kind: 'injection', source: CI } }],
      ['context/message', { content: text('a push'), source: CI }],
      ['turn/end', { turn: 1, reason: { kind: 'completed' } }],
    ]);
    expect(agent.status).toBe('idle');
    expect(flushes).toBe(1);
  });

  it('A9 a failed flush of an injection is reported with step 0', async () => {
    const { ctx, create, errors } = await bench();
    const { agent } = await create();
    const failure = new Error('disk full');
    const reported: unknown[] = [];
    ctx.on('session/flush', () => Promise.reject(failure));
    ctx.on('agent/error', (_agent, turn, step, error) => void reported.push([turn, step, error]));

    agent.inject(text('a push'), { source: CI });
    await settle();

    expect(reported).toEqual([[1, 0, failure]]);
    expect(errors).toEqual([failure]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A9 when the message is refused its turn is closed and flushed all the same', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    let flushes = 0;
    ctx.on('session/flush', () => void (flushes += 1));
    ctx.sessions.addValidator((_session, event) => {
      if (event.type === 'context/message') throw new Error('refused');
    });

    expect(() => agent.inject(text('a push'), { source: CI })).toThrow('refused');

    expect(typesOf(agent.session)).toEqual(['turn/start', 'turn/end']);
    expect(flushes).toBe(1);
    agent.send(text('hello'));
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }, { kind: 'completed' }]);
  });

  it('A9 A35 disposal waits for the flush of an injection', async () => {
    const { ctx, create } = await bench();
    const { agent, dispose } = await create();
    const flush = gate();
    ctx.on('session/flush', () => flush.promise);
    let disposed = false;
    agent.inject(text('a push'), { source: CI });

    const disposal = dispose().then(() => (disposed = true));
    await settle();
    expect(disposed).toBe(false);
    flush.resolve();
    await disposal;

    expect(ctx.sessions.get(agent.id)).toBeUndefined();
  });

  it('A33 an injection inside agent/request belongs to the next request', async () => {
    const { ctx, model, create } = await bench([calls('bash'), says('ok')]);
    const { agent } = await create();
    ctx.tools.register(tool('bash'));
    ctx.on('agent/request', (_agent, _turn, step, _config, _signal, next) => {
      if (step === 1) agent.inject(text('late'), { source: CI });
      return next();
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 4]);
    expect(model.requests[1]!.messages[1]!.content).toEqual(text('late'));
  });

  it('A7 an injection while the model streams joins the history before the reply', async () => {
    const { create } = await bench([hangs('partial')]);
    const { agent } = await create();
    agent.send(text('hello'));
    await settle();

    agent.inject(text('meanwhile'), { source: CI });
    agent.cancel();
    await agent.whenIdle();

    expect(typesOf(agent.session).slice(-3)).toEqual(['context/message', 'step/end', 'turn/end']);
  });
});

describe('session', () => {
  it('S14 an idle injection is a whole turn, numbered like any other', async () => {
    const { create } = await bench([says('ok')]);
    const { agent } = await create();
    agent.send(text('hello'));
    await agent.whenIdle();

    agent.inject(text('a push'), { source: CI });

    expect(agent.session.events.slice(-3).map(({ type, data }) => [type, data])).toEqual([
      ['turn/start', { turn: 2, trigger: { kind: 'injection', source: CI } }],
      ['context/message', { content: text('a push'), source: CI }],
      ['turn/end', { turn: 2, reason: { kind: 'completed' } }],
    ]);
  });
});
