import { describe, expect, it } from '@jest/globals';
import { LlmError } from '../../../src/harness/llm/errors.ts';
import type { LlmFailure, Message } from '../../../src/harness/llm/types.ts';
import { callBlock, calls, fails, finishesWithError, isCut, reply, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, settle, text, tool, typesOf } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

/** Retries every failure, and notes what it was told. */
function retryAll({ ctx }: Bench) {
  const seen: { step: number; code: string; prior: string[]; frozen: boolean }[] = [];
  ctx.on('agent/request-error', (_a, _t, step, _e, failure, prior) => {
    seen.push({ step, code: failure.code, prior: prior.map(({ code }) => code), frozen: Object.isFrozen(prior) });
    return { action: 'retry' };
  });
  return seen;
}

describe('agent', () => {
  it.each([
    ['thrown', fails('RATE_LIMIT', 'half')],
    ['as a finish', finishesWithError('RATE_LIMIT')],
  ])('A24 A25 a failure of the adapter, %s, ends the turn with its facts and no reply', async (_how, scripted) => {
    const b = await bench([scripted]);
    const { agent } = await b.create();
    const failures: [unknown, LlmFailure][] = [];
    b.ctx.on('agent/request-error', (_a, _t, _s, error, failure, _p, _g, next) => {
      expect(typesOf(agent.session).at(-1)).toBe('step/end');
      failures.push([error, failure]);
      return next();
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    const failure = { message: 'scripted RATE_LIMIT', code: 'RATE_LIMIT' };
    expect(failures).toEqual([[expect.any(LlmError), failure]]);
    expect(ends(agent.session)).toEqual([{ kind: 'error', step: 1, failure }]);
    expect(eventsOf(agent.session, 'assistant/message')).toEqual([]);
  });

  it('A26 a retry is a new step; prior failures are frozen and forgotten after a success', async () => {
    const b = await bench([fails('SERVER'), fails('TIMEOUT'), calls('bash'), fails('RATE_LIMIT'), says('ok')]);
    b.ctx.tools.register(tool('bash'));
    const { agent } = await b.create();
    const seen = retryAll(b);

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(seen).toEqual([
      { step: 1, code: 'SERVER', prior: [], frozen: true },
      { step: 2, code: 'TIMEOUT', prior: ['SERVER'], frozen: true },
      { step: 4, code: 'RATE_LIMIT', prior: [], frozen: true },
    ]);
    expect(eventsOf(agent.session, 'step/start').map(({ data }) => data.step)).toEqual([1, 2, 3, 4, 5]);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A26 a recovery listener that throws is logged, and the first error stands', async () => {
    const b = await bench([fails('SERVER')]);
    const { agent } = await b.create();
    const failure = new Error('the retry plugin broke');
    b.ctx.on('agent/request-error', () => {
      throw failure;
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(b.errors).toEqual([failure]);
    expect(ends(agent.session)).toEqual([
      { kind: 'error', step: 1, failure: expect.objectContaining({ code: 'SERVER' }) },
    ]);
  });

  it('A26 a cancel beats a retry', async () => {
    const b = await bench([fails('SERVER')]);
    const { agent } = await b.create();
    b.ctx.on('agent/request-error', () => {
      agent.cancel();
      return { action: 'retry' };
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(b.model.requests).toHaveLength(1);
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('A6 steering during a failed step joins the retry, or becomes the next prompt', async () => {
    const b = await bench([fails('SERVER'), fails('AUTH'), says('answer')]);
    const { agent } = await b.create();
    b.ctx.on('agent/request-error', (_a, _t, _s, _e, { code }, _p, _g, next) => {
      agent.steer(text(`said after ${code}`));
      return code === 'SERVER' ? { action: 'retry' } : next();
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'steering/message').map(({ data }) => data.content)).toEqual([
      text('said after SERVER'),
    ]);
    expect(eventsOf(agent.session, 'user/message').map(({ data }) => data.content)).toEqual([
      text('hello'),
      text('said after AUTH'),
    ]);
    expect(ends(agent.session).map(({ kind }) => kind)).toEqual(['error', 'completed']);
  });

  it.each(['llm/stream', 'agent/request', 'agent/step-result', 'agent/post-step', 'system-prompt/assemble'] as const)(
    'A25 a failure in %s is no failed request',
    async (event) => {
      const b = await bench([says('ok')]);
      const { agent } = await b.create();
      const seen = retryAll(b);
      b.ctx.on(event, () => {
        throw new LlmError('looks like the provider', 'SERVER');
      });

      agent.send(text('hello'));
      await agent.whenIdle();

      expect(seen).toEqual([]);
      expect(ends(agent.session)).toEqual([expect.objectContaining({ kind: 'error', message: expect.any(String) })]);
    },
  );

  it('A25 the failure of a nested model call is no failure of the request around it', async () => {
    const b = await bench([fails('SERVER')]);
    const { agent } = await b.create();
    const seen = retryAll(b);
    b.ctx.on('agent/pre-step', async () => {
      for await (const _chunk of b.ctx.llm.stream({ provider: 'test', model: 'summarizer', messages: [] })) void _chunk;
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(seen).toEqual([]);
    expect(ends(agent.session)).toEqual([{ kind: 'error', step: 0, message: 'scripted SERVER', code: 'SERVER' }]);
  });

  it('A27 A29 a reply cut at the limit loses its calls and replay state, keeps usage, and marks the turn', async () => {
    const content = [{ type: 'text' as const, text: 'part' }, callBlock('bash', '{"comm')];
    const usage = { inputTokens: 1, outputTokens: 2 };
    const b = await bench([reply(content, { kind: 'max-tokens' }, usage, { opaque: 1 }), says('and the rest')]);
    const { agent } = await b.create();
    let ran = false;
    b.ctx.tools.register(tool('bash', async () => ((ran = true), text('ok'))));
    let go = true;
    b.ctx.on('agent/turn-continuation', (_a, _t, _d, _s, next) => {
      if (!go) return next();
      go = false;
      return { action: 'continue' };
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    const [first] = eventsOf(agent.session, 'assistant/message');
    expect(first!.data).toMatchObject({ content: text('part'), usage, provenance: { provider: 'test', model: 'm1' } });
    expect(first!.data.provenance).not.toHaveProperty('replayState');
    expect(ran).toBe(false);
    expect(b.model.requests).toHaveLength(2);
    expect(ends(agent.session)).toEqual([{ kind: 'max-tokens' }]);
  });

  it('A27 a listener cannot bring a cut call back', async () => {
    const block = callBlock('bash');
    const b = await bench([isCut(block)]);
    const { agent } = await b.create();
    b.ctx.on('agent/step-result', () => ({ role: 'assistant', content: [block] }));

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'assistant/message')[0]!.data.content).toEqual([]);
    expect(eventsOf(agent.session, 'tool/call')).toEqual([]);
  });

  it('A28 every successful call is one reply in the log that cites its chunks, even an empty one', async () => {
    const b = await bench([reply([], { kind: 'stop' })]);
    const { agent } = await b.create();

    agent.send(text('hello'));
    await agent.whenIdle();

    const chunks = eventsOf(agent.session, 'assistant/chunk');
    const [message] = eventsOf(agent.session, 'assistant/message');
    expect(message!.data.content).toEqual([]);
    expect(message!.sourceEventSeqs).toEqual(chunks.map(({ seq }) => seq));
    expect(chunks.map(({ data }) => data.chunk.type)).toEqual(['usage', 'finish']);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    [
      'returns what cannot be logged',
      async () => ({ role: 'assistant', content: [{ type: 'text', text: 1n }] }) as never,
    ],
  ])('A28 when agent/step-result %s, the reply is kept empty and the error goes on', async (_how, listener) => {
    const b = await bench([calls('bash')]);
    const { agent } = await b.create();
    b.ctx.on('agent/step-result', listener as () => Promise<Message>);

    agent.send(text('hello'));
    await agent.whenIdle();

    const [message] = eventsOf(agent.session, 'assistant/message');
    expect(message!.data.content).toEqual([]);
    expect(message!.data.usage).toBeDefined();
    expect(message!.sourceEventSeqs).toHaveLength(eventsOf(agent.session, 'assistant/chunk').length);
    expect(ends(agent.session)).toEqual([expect.objectContaining({ kind: 'error', step: 1 })]);
  });

  it('A29 replay state stays with a reply as it came and goes with one that was rewritten', async () => {
    const b = await bench([
      reply(text('same'), { kind: 'stop' }, undefined, { opaque: 1 }),
      reply(text('other'), { kind: 'stop' }, undefined, { opaque: 2 }),
    ]);
    const { agent } = await b.create();
    b.ctx.on('agent/step-result', async (_a, turn, _s, _m, _g, next) => {
      const message = await next();
      return turn === 1 ? { ...message, content: text('same') } : { ...message, content: text('rewritten') };
    });

    agent.send(text('one'));
    agent.send(text('two'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'assistant/message').map(({ data }) => data.provenance.replayState)).toEqual([
      { opaque: 1 },
      undefined,
    ]);
    await settle();
  });
});

describe('llm-streaming', () => {
  it('L22 each chunk is in the log before anything is made of it, and a failure leaves them as trace', async () => {
    const b = await bench([fails('SERVER', 'half'), says('whole')]);
    const { agent } = await b.create();
    retryAll(b);
    let executed = false;
    b.ctx.tools.register(tool('bash', async () => ((executed = true), text('ok'))));

    agent.send(text('hello'));
    await agent.whenIdle();

    const chunksOf = (step: number) =>
      eventsOf(agent.session, 'assistant/chunk').filter(({ data }) => data.step === step);
    expect(chunksOf(1).map(({ data }) => data.chunk.type)).toEqual(['block-start', 'text-delta', 'block-end']);
    const replies = eventsOf(agent.session, 'assistant/message');
    expect(replies.map(({ data }) => data.step)).toEqual([2]);
    expect(replies[0]!.sourceEventSeqs).toEqual(chunksOf(2).map(({ seq }) => seq));
    expect(executed).toBe(false);
  });

  it('L23 a cut reply loses its calls, and its replay state with them', async () => {
    const b = await bench([
      reply([callBlock('bash', '{"a":')], { kind: 'max-tokens' }, undefined, { opaque: 1 }),
      reply(text('short'), { kind: 'max-tokens' }, undefined, { opaque: 2 }),
    ]);
    const { agent } = await b.create();

    agent.send(text('one'));
    agent.send(text('two'));
    await agent.whenIdle();

    expect(
      eventsOf(agent.session, 'assistant/message').map(({ data }) => [data.content, data.provenance.replayState]),
    ).toEqual([
      [[], undefined],
      [text('short'), { opaque: 2 }],
    ]);
  });
});
