import { describe, expect, it } from '@jest/globals';
import { installAgentLlmTarget } from '../../../src/harness/agent/llm-target.ts';
import type { AgentLlmTargetRef } from '../../../src/harness/agent/types.ts';
import { isAgentLoopRequest } from '../../../src/harness/llm/agent-loop-request.ts';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { rebuildRequests } from '../../../src/harness/session/rebuild-request.ts';
import { requestDigest } from '../../../src/harness/session/request-digest.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, settle, text, tool, typesOf } from './agent-bench.ts';

const PLUGIN = { kind: 'plugin', plugin: 'p' } as const;
const opener = (value: string) => ({ role: 'user' as const, content: text(value) });

/** What was sent, without what only routes it. */
function sent({ signal: _signal, sessionId: _sessionId, ...request }: GenerateOptions) {
  return request;
}

describe('session', () => {
  it('S24 S29 every request equals the one rebuilt from the log, and its digest is logged before it', async () => {
    const { ctx, model, create } = await bench([calls('bash'), says('done'), says('again')]);
    ctx.tools.register(tool('bash'));
    ctx.on('agent/session-prefix', async (_a, _p, _s, next) => [opener('AGENTS.md'), ...(await next())]);
    const { agent } = await create();
    ctx.on('llm/stream', (options, next) => {
      expect(agent.session.events.at(-1)!.type).toBe('request/digest');
      expect(Object.isFrozen(options) && Object.isFrozen(options.messages) && Object.isFrozen(options.tools)).toBe(
        true,
      );
      expect(Object.isFrozen(options.signal)).toBe(false);
      expect(isAgentLoopRequest(options)).toBe(true);
      return next();
    });

    agent.send(text('hello'));
    agent.send(text('more'));
    await agent.whenIdle();

    const rebuilt = [...rebuildRequests(agent.session.events)];
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }, { kind: 'completed' }]);
    expect(rebuilt.map(({ request }) => JSON.stringify(request))).toHaveLength(3);
    expect(model.requests.map(sent)).toEqual(rebuilt.map(({ request }) => request));
    expect(rebuilt.map(({ sha256 }) => sha256)).toEqual(model.requests.map(requestDigest));
    expect(model.requests.every(({ messages }) => messages[0]!.content[0]!.type === 'text')).toBe(true);
  });

  it('S29 a request the log cannot reproduce never reaches the adapter', async () => {
    const { model, create } = await bench([says('ok')]);
    const { agent } = await create();
    const messages = agent.session.deriveMessages.bind(agent.session);
    Object.assign(agent.session, { deriveMessages: () => [...messages(), opener('smuggled')] });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(model.requests).toEqual([]);
    expect(ends(agent.session)).toEqual([expect.objectContaining({ kind: 'error', code: 'REQUEST_NOT_REPRODUCIBLE' })]);
  });

  it('S29 the checker sees a changed provider, and leaves auxiliary calls alone', async () => {
    const { ctx, model, create } = await bench([says('aux'), says('ok')]);
    const { agent } = await create();
    for await (const _chunk of ctx.llm.stream({ provider: 'test', model: 'x', messages: [] })) void _chunk;
    expect(model.requests).toHaveLength(1);
    const header = agent.session.requestHeader.bind(agent.session);
    let tampered = false;
    ctx.on('agent/request', (_a, _t, _s, _c, _g, next) => next());
    const append = agent.session.append.bind(agent.session) as (...args: unknown[]) => { data: { header?: unknown } };
    Object.assign(agent.session, {
      append: (...args: unknown[]) => {
        const event = append(...args);
        if (args[0] !== 'request/header') return event;
        tampered = true;
        return { ...event, data: { header: { ...header(), config: { provider: 'other', model: 'm1' } } } };
      },
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(tampered).toBe(true);
    expect(model.requests).toHaveLength(1);
    expect(ends(agent.session)).toEqual([expect.objectContaining({ code: 'REQUEST_NOT_REPRODUCIBLE' })]);
  });

  it('S26 P23 the first header is initial, an equal one is not repeated, a reordering is a change', async () => {
    const { ctx, create } = await bench([says('1'), says('2'), says('3'), says('4')]);
    ctx.tools.register(tool('a'));
    ctx.tools.register(tool('b'));
    let reverse = false;
    ctx.on('system-prompt/assemble', async (_a, _c, next) => {
      const assembly = await next();
      return reverse ? { ...assembly, tools: assembly.tools.toReversed() } : assembly;
    });
    const { agent } = await create();
    for (const turn of [1, 2, 3, 4]) {
      reverse = turn >= 3;
      agent.send(text('hello'));
      await agent.whenIdle();
    }

    const headers = eventsOf(agent.session, 'request/header');
    expect(headers.map(({ data }) => data.reason)).toEqual(['initial', 'change']);
    expect(headers.map(({ data }) => data.header.tools!.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    const header = agent.session.events.findIndex(({ type }) => type === 'request/header');
    expect(agent.session.events[header - 1]!.type).toBe('step/start');
  });

  it('S26 S28 a new instance on an old log logs a resume header and composes its prefix anew', async () => {
    const { ctx, model, create } = await bench([says('1'), says('2')]);
    let composed = 0;
    ctx.on('agent/session-prefix', async (_a, _p, _s, next) => [
      opener(`prefix ${(composed += 1)}`),
      ...(await next()),
    ]);
    const first = await create();
    first.agent.send(text('hello'));
    await first.agent.whenIdle();
    await first.dispose();

    const second = await create({ sessionId: SessionId('child'), seed: first.agent.session.events });
    second.agent.send(text('again'));
    await second.agent.whenIdle();

    const headers = eventsOf(second.agent.session, 'request/header').map(({ data }) => data);
    expect(headers.map(({ reason }) => reason)).toEqual(['initial', 'resume']);
    expect(headers.map(({ header }) => header.messagePrefix)).toEqual([[opener('prefix 1')], [opener('prefix 2')]]);
    expect(model.requests[1]!.messages[0]).toEqual(opener('prefix 2'));
  });

  it('S26 a new instance logs its header even when nothing changed', async () => {
    const { create } = await bench([says('1'), says('2')]);
    const first = await create();
    first.agent.send(text('hello'));
    await first.agent.whenIdle();
    const second = await create({ sessionId: SessionId('child'), seed: first.agent.session.events });
    second.agent.send(text('again'));
    await second.agent.whenIdle();

    const [initial, resumed] = eventsOf(second.agent.session, 'request/header').map(({ data }) => data);
    expect(resumed).toEqual({ header: initial!.header, reason: 'resume' });
  });

  it('S27 the first config comes from the options, later ones from the log, always as a frozen seed', async () => {
    const { ctx, model, create } = await bench([says('1'), says('2')]);
    const { agent } = await create();
    const seeds: unknown[] = [];
    ctx.on('agent/request', async (_a, turn, _s, seed, _g, next) => {
      seeds.push([seed, Object.isFrozen(seed)]);
      return turn === 1 ? { ...(await next()), temperature: 0.5 } : next();
    });

    agent.send(text('one'));
    agent.send(text('two'));
    await agent.whenIdle();

    expect(seeds).toEqual([
      [{ provider: 'test', model: 'm1' }, true],
      [{ provider: 'test', model: 'm1', temperature: 0.5 }, true],
    ]);
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([0.5, 0.5]);
  });

  it.each([{}, { provider: 'test' }, { model: 'm1' }])(
    'S27 options %j are not enough to dispatch',
    async (agentOptions) => {
      const { model, create } = await bench();
      const { agent } = await create({ agentOptions });

      agent.send(text('hello'));
      await agent.whenIdle();

      expect(model.requests).toEqual([]);
      expect(typesOf(agent.session)).toEqual(['turn/start', 'user/message', 'step/start', 'step/end', 'turn/end']);
      expect(ends(agent.session)).toEqual([expect.objectContaining({ kind: 'error', step: 1, code: 'NO_MODEL' })]);
    },
  );

  it('S28 a prefix whose composition was cancelled is thrown away and composed again', async () => {
    const { ctx, model, create } = await bench([says('ok'), says('ok')]);
    const { agent } = await create();
    let composed = 0;
    ctx.on('agent/session-prefix', async (_a, prefix, _s, next) => {
      expect(Object.isFrozen(prefix)).toBe(true);
      composed += 1;
      if (composed === 1) agent.cancel();
      return [opener(`prefix ${composed}`), ...(await next())];
    });

    agent.send(text('one'));
    await agent.whenIdle();
    agent.send(text('two'));
    agent.send(text('three'));
    await agent.whenIdle();

    expect(composed).toBe(2);
    expect(model.requests.map(({ messages }) => messages[0])).toEqual([opener('prefix 2'), opener('prefix 2')]);
    expect(Object.isFrozen(model.requests[0]!.messages[0])).toBe(true);
    expect(eventsOf(agent.session, 'context/message')).toEqual([]);
  });
});

describe('agent', () => {
  it('A32 the prefix stands before all history, in the header only, and is composed once', async () => {
    const { ctx, model, create } = await bench([calls('bash'), says('ok'), says('again')]);
    ctx.tools.register(tool('bash'));
    let composed = 0;
    const mine = opener('AGENTS.md');
    ctx.on('agent/session-prefix', async (_a, _p, _s, next) => ((composed += 1), [mine, ...(await next())]));
    const { agent } = await create();

    agent.send(text('hello'));
    agent.send(text('more'));
    await agent.whenIdle();
    mine.content = text('changed later');

    expect(composed).toBe(1);
    expect(model.requests.map(({ messages }) => messages[0])).toEqual(Array(3).fill(opener('AGENTS.md')));
    expect(agent.session.deriveMessages()).not.toContainEqual(opener('AGENTS.md'));
    expect(eventsOf(agent.session, 'request/header')).toHaveLength(1);
  });
});

describe('system-prompt', () => {
  it('P21 the prompt is assembled once per step, before pre-step, for the agent, its scope and the signal', async () => {
    const { ctx, create } = await bench([calls('bash'), says('ok')]);
    ctx.tools.register(tool('bash'));
    const { agent } = await create();
    const order: string[] = [];
    ctx.on('system-prompt/assemble', (_assembly, context, next) => {
      expect(context).toEqual({ agent, scope: agent, signal: expect.any(AbortSignal) });
      order.push('assemble');
      return next();
    });
    ctx.on('agent/pre-step', (_a, _t, step) => void order.push(`pre-step ${step}`));

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(order).toEqual(['assemble', 'pre-step 1', 'assemble', 'pre-step 2']);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('P21 a prompt that cannot be rendered fails the turn before anything is sent, and the next turn works', async () => {
    const { ctx, model, create } = await bench([says('ok')]);
    const { agent } = await create();
    const undo = ctx.systemPrompt.section({ name: 'bad', order: 1, text: '{{nobody}}' });

    agent.send(text('hello'));
    await agent.whenIdle();
    await undo();
    agent.send(text('again'));
    await agent.whenIdle();

    expect(typesOf(agent.session).slice(0, 4)).toEqual(['turn/start', 'user/message', 'turn/end', 'turn/start']);
    expect(ends(agent.session).map(({ kind }) => kind)).toEqual(['error', 'completed']);
    expect(model.requests).toHaveLength(1);
  });

  it('P22 the loop supplies provider, model and cwd', async () => {
    const { ctx, model, create } = await bench([says('ok')]);
    ctx.systemPrompt.section({ name: 'where', order: 1, text: '{{provider}}/{{model}} in {{cwd}}' });
    const { agent } = await create({ meta: { cwd: '/repo' } });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(model.requests[0]!.system).toMatch(/test\/m1 in \/repo$/);
  });

  it('P22 a target switched by its owner reaches prompt and route as one snapshot', async () => {
    const { ctx, model, create } = await bench([calls('bash'), says('ok')]);
    ctx.systemPrompt.section({ name: 'who', order: 1, text: 'I am {{model}}' });
    const target: AgentLlmTargetRef = { current: { provider: 'other', model: 'm2' }, assembled: undefined };
    const { agent } = await create({ setup: (agentCtx) => installAgentLlmTarget(agentCtx, target) });
    ctx.tools.register(tool('bash'));
    ctx.on('agent/pre-step', (_a, _t, step) => {
      if (step === 1) target.current = { provider: 'test', model: 'm3' };
    });

    agent.send(text('hello'));
    await agent.whenIdle();
    await settle();

    expect(model.requests.map(({ provider, model, system }) => [provider, model, system!.split('\n').at(-1)])).toEqual([
      ['other', 'm2', 'I am m2'],
      ['test', 'm3', 'I am m3'],
    ]);
  });

  it('P23 the rendered text and the tools are in the header as they were sent', async () => {
    const { ctx, model, create } = await bench([says('ok')]);
    ctx.tools.register(tool('bash'));
    const { agent } = await create();

    agent.send(text('hello'), { source: PLUGIN });
    await agent.whenIdle();

    const { header } = eventsOf(agent.session, 'request/header')[0]!.data;
    expect(header).toEqual({
      config: { provider: 'test', model: 'm1' },
      system: model.requests[0]!.system,
      tools: model.requests[0]!.tools,
    });
  });
});
