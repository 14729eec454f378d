import { describe, expect, it } from '@jest/globals';
import { calls, hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from './agent-bench.ts';

describe('agent', () => {
  it('A1 two sends in one tick are two turns, in order', async () => {
    const { model, create } = await bench([says('one'), says('two')]);
    const { agent } = await create();

    agent.send(text('first'));
    agent.send(text('second'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'turn/start').map(({ data }) => data.turn)).toEqual([1, 2]);
    expect(eventsOf(agent.session, 'user/message').map(({ data }) => data.content)).toEqual([
      text('first'),
      text('second'),
    ]);
    expect(model.requests[0]!.messages).toHaveLength(1);
  });

  it('A2 the next item starts only after the turn before it was flushed, also when the flush fails', async () => {
    const { ctx, create } = await bench([says('one'), says('two')]);
    const flush = gate();
    const { agent } = await create();
    const errors: unknown[] = [];
    ctx.on('agent/error', (_agent, turn, step, error) => void errors.push([turn, step, error]));
    let flushes = 0;
    ctx.on('session/flush', () => (flushes++ === 0 ? flush.promise : undefined));
    agent.send(text('first'));
    agent.send(text('second'));
    while (!flushes) await settle();

    expect(typesOf(agent.session).at(-1)).toBe('turn/end');
    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(1);
    const failure = new Error('disk full');
    flush.reject(failure);
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(2);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }, { kind: 'completed' }]);
    expect(errors).toEqual([[1, 1, failure]]);
  });

  it('A3 what was sent is a frozen snapshot that later changes cannot reach, and each property is read once', async () => {
    const { ctx, create, errors } = await bench([says('ok')]);
    const { agent } = await create();
    const content = text('original');
    const context = { content: text('aside'), source: { kind: 'user' as const } };
    let reads = 0;
    const options = {
      get source() {
        reads += 1;
        return { kind: 'plugin' as const, plugin: `read ${reads}` };
      },
      contexts: [context],
    };
    ctx.on('agent/queued', (_agent, accepted) => {
      Object.assign(accepted[0]!, { text: 'changed by a listener' });
    });

    agent.send(content, options);
    (content[0] as { text: string }).text = 'changed';
    context.content.push(...text('more'));
    await agent.whenIdle();

    const [message] = eventsOf(agent.session, 'user/message');
    expect(message!.data).toEqual({ content: text('original'), source: { kind: 'plugin', plugin: 'read 1' } });
    expect(eventsOf(agent.session, 'context/message')[0]!.data.content).toEqual(text('aside'));
    expect(reads).toBe(1);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('read only') })]);
  });

  it.each(['send', 'steer', 'inject'] as const)(
    'A3 %s throws on what is no JSON, before anything happens',
    async (method) => {
      const { ctx, create } = await bench();
      const { agent } = await create();
      const queued: unknown[] = [];
      ctx.on('agent/queued', () => void queued.push(1));

      expect(() => agent[method]([{ type: 'text', text: 1n as unknown as string }])).toThrow(TypeError);
      expect(() => agent[method](text('x'), { source: { kind: 'user', at: new Date() } as never })).toThrow(TypeError);
      await settle();

      expect(agent.session.seq).toBe(0);
      expect(queued).toEqual([]);
      expect(agent.status).toBe('idle');
    },
  );

  it('A4 send returns before the status changes, and tells what was accepted', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    const seen: unknown[] = [];
    ctx.on('agent/queued', (_agent, content, info) => void seen.push([content, info, Object.isFrozen(info)]));

    agent.send(text('hello'));

    expect(agent.status).toBe('idle');
    expect(seen).toEqual([[text('hello'), { source: { kind: 'user' }, contexts: [], steering: false }, true]]);
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A5 steering an idle agent is sending', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    const submitted: unknown[] = [];
    ctx.on('agent/prompt-submit', (_agent, content, _source, _signal, next) => {
      submitted.push(content);
      return next();
    });

    agent.steer(text('hello'));
    await agent.whenIdle();

    expect(submitted).toEqual([text('hello')]);
    expect(eventsOf(agent.session, 'user/message')).toHaveLength(1);
  });

  it('A5 steering a running turn is recorded at the end of the step, unsubmitted, and answered by another step', async () => {
    const { ctx, model, create } = await bench([says('first'), says('second')]);
    const { agent } = await create();
    const submitted: unknown[] = [];
    ctx.on('agent/prompt-submit', (_agent, content, _source, _signal, next) => {
      submitted.push(content);
      return next();
    });
    const queued: boolean[] = [];
    ctx.on('agent/queued', (_agent, _content, { steering }) => void queued.push(steering));
    ctx.on('agent/step-result', (_agent, _turn, step, _message, _signal, next) => {
      if (step === 1)
        agent.steer(text('also this'), { contexts: [{ content: text('ctx'), source: { kind: 'user' } }] });
      return next();
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(submitted).toEqual([text('hello')]);
    expect(queued).toEqual([false, true]);
    expect(typesOf(agent.session)).toEqual([
      'turn/start',
      'user/message',
      'step/start',
      'request/header',
      'assistant/message',
      'steering/message',
      'context/message',
      'step/end',
      'step/start',
      'assistant/message',
      'step/end',
      'turn/end',
    ]);
    expect(eventsOf(agent.session, 'steering/message')[0]!.data).toEqual({
      content: text('also this'),
      source: { kind: 'user' },
      turn: 1,
    });
    expect(model.requests[1]!.messages.at(-2)!.content).toEqual(text('also this'));
  });

  it('A10 after disposal began nothing is taken any more', async () => {
    const { create } = await bench([hangs()]);
    const { agent, dispose } = await create();
    agent.send(text('hello'));
    await settle();

    const disposal = dispose();

    for (const method of ['send', 'steer', 'inject'] as const) {
      expect(() => agent[method](text('late'))).toThrow(expect.objectContaining({ code: 'AGENT_DISPOSED' }));
    }
    await disposal;
    expect(() => agent.send(text('late'))).toThrow();
    expect(ends(agent.session)).toEqual([{ kind: 'disposed' }]);
  });

  it('A11 cancelling an agent with nothing to do is inert', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    const requested: unknown[] = [];
    ctx.on('agent/cancel-requested', () => void requested.push(1));

    agent.cancel();
    agent.send(text('hello'));
    await agent.whenIdle();
    agent.cancel();

    expect(requested).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A12 a cancel tells, then clears, then aborts: what an abort listener queues is the next turn', async () => {
    const { ctx, create } = await bench([hangs(), says('replacement')]);
    const { agent } = await create();
    const order: string[] = [];
    ctx.on('agent/cancel-requested', (_agent, cause) => {
      order.push(`requested by ${cause.kind}`);
      agent.send(text('cleared'));
      agent.steer(text('cleared, too'));
    });
    ctx.on('agent/pre-step', (_agent, turn, _step, signal) => {
      if (turn > 1) return;
      signal.addEventListener('abort', () => {
        order.push('aborted');
        agent.send(text('survives'));
      });
    });
    agent.send(text('hello'));
    agent.send(text('queued'));
    await settle();

    agent.cancel({ kind: 'parent' });
    await agent.whenIdle();

    expect(order).toEqual(['requested by parent', 'aborted']);
    expect(eventsOf(agent.session, 'user/message').map(({ data }) => data.content)).toEqual([
      text('hello'),
      text('survives'),
    ]);
    expect(eventsOf(agent.session, 'steering/message')).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }, { kind: 'completed' }]);
  });

  it('A13 cancelling an unclaimed prompt opens no turn, and whoever waits for idle is released', async () => {
    const { create } = await bench();
    const { agent } = await create();
    agent.send(text('hello'));
    const idle = agent.whenIdle();

    agent.cancel();
    await idle;
    await settle();

    expect(agent.session.seq).toBe(0);
    expect(agent.status).toBe('idle');
  });

  it('A14 work that replaces a cancelled prompt runs with a fresh signal, and whenIdle waits for it', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    let replaced = false;
    ctx.on('agent/status', (_agent, status) => {
      if (status !== 'running' || replaced) return;
      replaced = true;
      agent.cancel();
      agent.send(text('replacement'));
    });
    const signals: AbortSignal[] = [];
    ctx.on('agent/pre-step', (_agent, _turn, _step, signal) => void signals.push(signal));

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'user/message').map(({ data }) => data.content)).toEqual([text('replacement')]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A15 the first cause stays, as a copy', async () => {
    const { ctx, create } = await bench([hangs()]);
    const { agent } = await create();
    let signal: AbortSignal | undefined;
    ctx.on('agent/pre-step', (_agent, _turn, _step, s) => void (signal = s));
    agent.send(text('hello'));
    await settle();
    const cause: { kind: 'user' | 'parent' } = { kind: 'parent' };

    agent.cancel(cause);
    cause.kind = 'user';
    agent.cancel({ kind: 'user' });
    await agent.whenIdle();

    expect(signal!.reason).toEqual({ kind: 'parent' });
    expect(Object.isFrozen(signal!.reason)).toBe(true);
  });

  it('A20 A21 whenIdle resolves before the idle event, at once when idle, and with the driver when disposed', async () => {
    const { ctx, create } = await bench([says('ok'), hangs()]);
    const { agent, dispose } = await create();
    const order: string[] = [];
    ctx.on('agent/status', (_agent, status) => void Promise.resolve().then(() => order.push(status)));
    agent.send(text('hello'));
    await agent.whenIdle().then(() => order.push('waiter'));
    await agent.whenIdle();
    expect(order).toEqual(['running', 'waiter', 'idle']);

    agent.send(text('again'));
    const waiting = agent.whenIdle();
    await settle();
    const disposal = dispose();
    expect(agent.status).toBe('disposed');
    await waiting;
    await agent.whenIdle();

    expect(ends(agent.session).at(-1)).toEqual({ kind: 'disposed' });
    await disposal;
    await settle();
    expect(order).toEqual(['running', 'waiter', 'idle', 'running', 'disposed']);
  });

  it('A20 several turns share one running interval, and an idle listener may start the next one', async () => {
    const { ctx, create } = await bench([says('1'), says('2'), says('3')]);
    const { agent } = await create();
    const statuses: string[] = [];
    ctx.on('agent/status', (_agent, status) => {
      statuses.push(status);
      if (status === 'idle' && statuses.length === 2) agent.send(text('third'));
    });
    agent.send(text('first'));
    agent.send(text('second'));
    await agent.whenIdle();
    await agent.whenIdle();

    expect(ends(agent.session)).toHaveLength(3);
    expect(statuses).toEqual(['running', 'idle', 'running', 'idle']);
  });

  it('A5 A6 steering that comes while a turn ends becomes the next prompt without a further nudge', async () => {
    const { ctx, create } = await bench([says('ok'), says('late')]);
    const { agent } = await create();
    let flushes = 0;
    ctx.on('session/flush', () => {
      flushes += 1;
      if (flushes === 1) agent.steer(text('just too late'));
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'user/message').map(({ data }) => data.content)).toEqual([
      text('hello'),
      text('just too late'),
    ]);
  });

  it('A12 input that lands between the abort and idle runs next', async () => {
    const { ctx, create } = await bench([calls('slow'), says('after')]);
    const { agent } = await create();
    ctx.tools.register(
      tool('slow', async (_args, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        agent.steer(text('instead'));
        return text('stopped');
      }),
    );
    agent.send(text('hello'));
    await settle();

    agent.cancel();
    await agent.whenIdle();

    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }, { kind: 'completed' }]);
    expect(eventsOf(agent.session, 'user/message').at(-1)!.data.content).toEqual(text('instead'));
  });
});
