import { describe, expect, it } from '@jest/globals';
import { agentInterruptReasonOf } from '../../../src/harness/agent/interrupt-reason.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { calls, hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

const PLUGIN = { kind: 'plugin', plugin: 'p' } as const;

/** Notes every hook and every logged event, in the order in which they happen. */
function record({ ctx }: Bench): string[] {
  const order: string[] = [];
  ctx.on('session/event', (_session, { type }) => void (type !== 'assistant/chunk' && order.push(type)));
  ctx.on('session/flush', () => void order.push('(flush)'));
  ctx.on('agent/prompt-submit', (_a, _c, _s, _g, next) => (order.push('(prompt-submit)'), next()));
  ctx.on('system-prompt/assemble', (_a, _c, next) => (order.push('(assemble)'), next()));
  ctx.on('agent/session-prefix', (_a, _p, _s, next) => (order.push('(session-prefix)'), next()));
  ctx.on('agent/pre-step', () => void order.push('(pre-step)'));
  ctx.on('agent/request', (_a, _t, _s, _c, _g, next) => (order.push('(request)'), next()));
  ctx.on('llm/stream', (_o, next) => (order.push('(llm/stream)'), next()));
  ctx.on('agent/step-result', (_a, _t, _s, _m, _g, next) => (order.push('(step-result)'), next()));
  ctx.on('tools/execute', (_e, next) => (order.push('(tool)'), next()));
  ctx.on('agent/post-step', () => void order.push('(post-step)'));
  ctx.on('agent/turn-continuation', (_a, _t, _d, _s, next) => (order.push('(turn-continuation)'), next()));
  ctx.on('agent/turn-stop', () => void order.push('(turn-stop)'));
  return order;
}

describe('agent', () => {
  it('A1 A16 A22 a turn of two steps happens in exactly this order', async () => {
    const b = await bench([calls('bash'), says('done')]);
    b.ctx.tools.register(tool('bash'));
    const order = record(b);
    const { agent } = await b.create();

    agent.send(text('hello'), { contexts: [{ content: text('ctx'), source: PLUGIN }] });
    await agent.whenIdle();

    expect(order).toEqual([
      'turn/start',
      '(prompt-submit)',
      'user/message',
      'context/message',
      '(assemble)',
      '(session-prefix)',
      '(pre-step)',
      'step/start',
      '(request)',
      'request/header',
      'request/digest',
      '(llm/stream)',
      '(step-result)',
      'assistant/message',
      'tool/call',
      '(tool)',
      'tool/result',
      '(post-step)',
      'step/end',
      '(turn-continuation)',
      '(turn-stop)',
      '(assemble)',
      '(pre-step)',
      'step/start',
      '(request)',
      'request/digest',
      '(llm/stream)',
      '(step-result)',
      'assistant/message',
      '(post-step)',
      'step/end',
      '(turn-continuation)',
      '(turn-stop)',
      'turn/end',
      '(flush)',
    ]);
  });

  it('A1 the turn number follows the log, whoever wrote the turn before', async () => {
    const { create } = await bench([says('one'), says('two')]);
    const { agent } = await create();
    agent.inject(text('x'), { source: PLUGIN });
    agent.send(text('hello'));
    await agent.whenIdle();
    agent.inject(text('y'), { source: PLUGIN });
    agent.send(text('again'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'turn/start').map(({ data }) => data.turn)).toEqual([1, 2, 3, 4]);
  });

  it('A3 a trigger given with a prompt opens its turn', async () => {
    const { create } = await bench([says('one')]);
    const { agent } = await create();
    const trigger = { kind: 'injection', source: PLUGIN } as const;

    agent.send(text('hello'), { source: PLUGIN, trigger });
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'turn/start')[0]!.data.trigger).toEqual(trigger);
  });

  it('A31 a blocked prompt is logged as it was, and the turn has no steps', async () => {
    const { ctx, model, create } = await bench();
    const { agent } = await create();
    ctx.on('agent/prompt-submit', () => ({ kind: 'block', reason: 'not here' }));

    agent.send(text('hello'), { source: PLUGIN });
    await agent.whenIdle();

    expect(typesOf(agent.session)).toEqual(['turn/start', 'prompt/blocked', 'turn/end']);
    expect(eventsOf(agent.session, 'prompt/blocked')[0]!.data).toEqual({
      content: text('hello'),
      source: PLUGIN,
      reason: 'not here',
    });
    expect(ends(agent.session)).toEqual([{ kind: 'rejected', reason: 'not here' }]);
    expect(model.requests).toEqual([]);
  });

  it('A31 what a listener allows is what is recorded; what it does not carry over is gone', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    ctx.on('agent/prompt-submit', async (_a, _c, _s, _g, next) => {
      const decision = await next();
      expect(decision).toEqual({
        kind: 'allow',
        additionalContexts: [{ content: text('ctx'), source: PLUGIN }],
      });
      return {
        kind: 'allow',
        content: text('rewritten'),
        additionalContexts: [{ content: text('mine'), source: PLUGIN }],
      };
    });

    agent.send(text('hello'), { contexts: [{ content: text('ctx'), source: PLUGIN }] });
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'user/message')[0]!.data.content).toEqual(text('rewritten'));
    expect(eventsOf(agent.session, 'context/message').map(({ data }) => data.content)).toEqual([text('mine')]);
  });

  it('A30 prefix contexts are baked before the request and kept apart in the envelope, separate ones are not repeated', async () => {
    const { create } = await bench([says('ok')]);
    const { agent } = await create();

    agent.send(text('fix it'), {
      contexts: [
        { content: text('the thread'), source: PLUGIN, placement: 'prompt-prefix', meta: { trusted: false } },
        { content: text('aside'), source: PLUGIN },
        { content: text('the diff'), source: PLUGIN, placement: 'prompt-prefix' },
      ],
    });
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'user/message')[0]!.data).toEqual({
      content: [...text('the thread'), ...text('the diff'), ...text('\n\n## My request:\n'), ...text('fix it')],
      source: { kind: 'user' },
      envelope: {
        displayContent: text('fix it'),
        prefixContexts: [{ source: PLUGIN, meta: { trusted: false } }, { source: PLUGIN }],
      },
    });
    expect(eventsOf(agent.session, 'context/message').map(({ data }) => data.content)).toEqual([text('aside')]);
  });

  it('A16 one signal spans the turn, and is retired before turn/end is published', async () => {
    const { ctx, create } = await bench([calls('bash'), says('ok'), says('again')]);
    const { agent } = await create();
    const signals = new Set<AbortSignal>();
    const note = (signal: AbortSignal | undefined) => void signals.add(signal!);
    ctx.tools.register(tool('bash', async (_args, { signal }) => (note(signal), text('ok'))));
    ctx.on('agent/prompt-submit', (_a, _c, _s, signal, next) => (note(signal), next()));
    ctx.on('system-prompt/assemble', (_a, { signal }, next) => (note(signal), next()));
    ctx.on('agent/session-prefix', (_a, _p, signal, next) => (note(signal), next()));
    ctx.on('agent/pre-step', (_a, _t, _s, signal) => note(signal));
    ctx.on('llm/stream', ({ signal }, next) => (note(signal), next()));
    ctx.on('agent/turn-continuation', (_a, _t, _d, signal, next) => (note(signal), next()));
    ctx.on('agent/turn-stop', (_a, _t, signal) => note(signal));
    const requested: unknown[] = [];
    ctx.on('agent/cancel-requested', () => void requested.push(1));
    ctx.on('session/event', (_session, { type }) => void (type === 'turn/end' && agent.cancel()));
    ctx.on('session/flush', () => agent.cancel());

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(signals.size).toBe(1);
    expect([...signals][0]!.aborted).toBe(false);
    expect(requested).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
    agent.send(text('again'));
    await agent.whenIdle();
    expect(signals.size).toBe(2);
  });

  it('A17 a cancel waits for the listener that is running, and goes no further', async () => {
    const { ctx, model, create } = await bench();
    const { agent } = await create();
    const held = gate();
    let finished = false;
    ctx.on('agent/pre-step', async () => {
      await held.promise;
      finished = true;
    });
    agent.send(text('hello'));
    await settle();

    agent.cancel();
    await settle();
    expect(eventsOf(agent.session, 'turn/end')).toEqual([]);
    held.resolve();
    await agent.whenIdle();

    expect(finished).toBe(true);
    expect(model.requests).toEqual([]);
    expect(typesOf(agent.session)).toEqual(['turn/start', 'user/message', 'turn/end']);
  });

  it.each([
    ['agent/prompt-submit', ['turn/start', 'turn/end']],
    ['agent/session-prefix', ['turn/start', 'user/message', 'turn/end']],
    ['agent/request', ['turn/start', 'user/message', 'step/start', 'step/end', 'turn/end']],
  ] as const)('A17 a cancel during %s is noticed right after it', async (event, log) => {
    const { ctx, create } = await bench();
    const { agent } = await create();
    ctx.on(event, (...args: unknown[]) => {
      agent.cancel();
      return (args.at(-1) as () => never)();
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(typesOf(agent.session)).toEqual(log);
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('A18 disposal beats a cancel, a cancel beats an error, and no cause is durable', async () => {
    const { ctx, create } = await bench([hangs(), hangs()]);
    const first = await create();
    first.agent.send(text('hello'));
    await settle();
    first.agent.cancel({ kind: 'parent' });
    await first.dispose();
    expect(ends(first.agent.session)).toEqual([{ kind: 'disposed' }]);

    const second = await create();
    ctx.on('agent/pre-step', () => {
      second.agent.cancel({ kind: 'parent' });
      throw new Error('and a failure');
    });
    second.agent.send(text('hello'));
    await second.agent.whenIdle();
    expect(ends(second.agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('A19 a cancel while streaming keeps the chunks and records no reply', async () => {
    const { create } = await bench([hangs('half a sen')]);
    const { agent } = await create();
    agent.send(text('hello'));
    await settle();

    agent.cancel();
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'assistant/chunk').length).toBeGreaterThan(0);
    expect(typesOf(agent.session)).toEqual([
      'turn/start',
      'user/message',
      'step/start',
      'request/header',
      'step/end',
      'turn/end',
    ]);
  });

  it('A17 A19 an adapter that ignores the signal is asked to stop, once, and the chunk it sent is kept', async () => {
    const { ctx, model, create } = await bench();
    const { agent } = await create();
    let stopped = 0;
    model.stream = async function* () {
      try {
        for (;;) {
          yield { type: 'text-delta', index: 0, text: 'on and on' };
          await settle();
        }
      } finally {
        stopped += 1;
      }
    };
    ctx.on('session/event', (_session, { type }) => void (type === 'assistant/chunk' && agent.cancel()));

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(stopped).toBe(1);
    expect(eventsOf(agent.session, 'assistant/chunk')).toHaveLength(1);
    expect(eventsOf(agent.session, 'assistant/message')).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('A19 a cancel after a reply with calls still answers each call, runs post-step, and closes', async () => {
    const { ctx, create } = await bench([calls('bash', {}, 'c-1')]);
    const { agent } = await create();
    let ran = false;
    ctx.tools.register(tool('bash', async () => ((ran = true), text('ok'))));
    ctx.on('agent/step-result', async (_a, _t, _s, _m, _g, next) => {
      const message = await next();
      agent.cancel();
      return message;
    });
    const aborted: unknown[] = [];
    ctx.on('agent/post-step', (_a, _t, _s, signal) => void aborted.push(agentInterruptReasonOf(signal)));
    ctx.on('agent/turn-continuation', (_a, _t, _d, _s, next) => (aborted.push('asked to go on'), next()));

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(ran).toBe(false);
    expect(typesOf(agent.session).slice(4)).toEqual([
      'assistant/message',
      'tool/call',
      'tool/result',
      'step/end',
      'turn/end',
    ]);
    expect(aborted).toEqual([{ kind: 'user' }]);
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it.each([
    'agent/pre-step',
    'agent/request',
    'agent/step-result',
    'agent/post-step',
    'agent/turn-continuation',
  ] as const)(
    'A22 A23 A24 a failure in %s closes step and turn, is told once, and the next turn works',
    async (event) => {
      const { ctx, create } = await bench([says('one'), says('two')]);
      const { agent } = await create();
      const failure = new HarnessError('it broke', 'BROKEN', { cause: new Error('a wire') });
      const undo = ctx.on(event, () => {
        throw failure;
      });
      const told: unknown[] = [];
      ctx.on('agent/error', (_a, turn, step, error) => void told.push([turn, step, error]));
      ctx.on('agent/error', () => {
        throw new Error('an observer that fails');
      });

      agent.send(text('hello'));
      await agent.whenIdle();

      const step = event === 'agent/pre-step' ? 0 : 1;
      expect(ends(agent.session)).toEqual([{ kind: 'error', step, message: 'it broke: a wire', code: 'BROKEN' }]);
      expect(told).toEqual([[1, step, failure]]);
      expect(eventsOf(agent.session, 'step/end')).toHaveLength(eventsOf(agent.session, 'step/start').length);
      await undo();
      agent.send(text('again'));
      await agent.whenIdle();
      expect(ends(agent.session).at(-1)).toEqual({ kind: 'completed' });
    },
  );

  it('A22 a turn/start that is refused owes nothing and is reported', async () => {
    const { ctx, create } = await bench([says('ok')]);
    const { agent } = await create();
    const failure = new Error('not now');
    const undo = ctx.sessions.addValidator((_session, { type }) => {
      if (type === 'turn/start') throw failure;
    });
    const told: unknown[] = [];
    ctx.on('agent/error', (_a, turn, step, error) => void told.push([turn, step, error]));

    agent.send(text('hello'));
    await agent.whenIdle();
    expect(told).toEqual([[1, 0, failure]]);
    expect(agent.session.seq).toBe(0);

    undo();
    agent.send(text('again'));
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A24 a hostile thrown value still closes the turn', async () => {
    const { ctx, create } = await bench();
    const { agent } = await create();
    ctx.on('agent/pre-step', () => {
      throw {
        toString() {
          throw new Error('no');
        },
      };
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(ends(agent.session)).toEqual([{ kind: 'error', step: 0, message: 'unknown error' }]);
  });

  it('A5 the default goes on after tool calls and stops after a text; a reason to continue is steering', async () => {
    const { ctx, model, create } = await bench([calls('bash'), says('done'), says('verified')]);
    const { agent } = await create();
    ctx.tools.register(tool('bash'));
    const defaults: unknown[] = [];
    let verified = false;
    ctx.on('agent/turn-continuation', async (_a, _t, byDefault, _s, next) => {
      defaults.push(byDefault.action);
      const decision = await next();
      if (decision.action === 'continue' || verified) return decision;
      verified = true;
      return { action: 'continue', reason: { content: text('tests fail'), source: PLUGIN } };
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(defaults).toEqual(['continue', 'stop', 'stop']);
    expect(eventsOf(agent.session, 'steering/message')[0]!.data).toEqual({
      content: text('tests fail'),
      source: PLUGIN,
      turn: 1,
    });
    expect(model.requests).toHaveLength(3);
  });

  it('A6 a plain stop gives way to pending steering', async () => {
    const { ctx, model, create } = await bench([says('one'), says('two')]);
    const { agent } = await create();
    let first = true;
    ctx.on('agent/turn-continuation', () => {
      if (first) agent.steer(text('wait'));
      first = false;
      return { action: 'stop' };
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(model.requests).toHaveLength(2);
    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(1);
  });

  it('A5 agent/turn-stop ends the turn for good and drops pending steering', async () => {
    const { ctx, model, create } = await bench([calls('bash')]);
    const { agent } = await create();
    ctx.tools.register(tool('bash'));
    ctx.on('agent/turn-continuation', (_a, _t, _d, _s, next) => (agent.steer(text('more')), next()));
    ctx.on('agent/turn-stop', () => ({ action: 'stop' }));

    agent.send(text('hello'));
    await agent.whenIdle();
    await settle();

    expect(model.requests).toHaveLength(1);
    expect(eventsOf(agent.session, 'turn/start')).toHaveLength(1);
    expect(eventsOf(agent.session, 'steering/message')).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });
});
