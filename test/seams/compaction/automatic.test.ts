import { describe, expect, it } from '@jest/globals';
import type { AgentHandle } from '../../../src/harness/agent/types.ts';
import { llmRetry, retryPlugin } from '../../../src/harness/llm/llm-retry.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import { ends, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { LogWriter, call } from '../../harness/session/session-fixture.ts';
import { calls, fails, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { checkpoints, compactBench, isReproducible, summarizesAs, textOf, withWindow } from './compact-bench.ts';
import type { CompactBenchOptions } from './compact-bench.ts';

/** 3,750 tokens of output. */
const OUTPUT = 'line of output\n'.repeat(1_000);
const code = (error: unknown) => (error as { code?: string }).code;

interface World extends Bench {
  readonly handle: AgentHandle;
  send(prompt?: string): Promise<void>;
}

/** An agent with a tool of long output; `window` is what the model takes and tells. */
async function world(
  script: readonly ScriptedReply[],
  { window, ...options }: CompactBenchOptions & { window?: number } = {},
): Promise<World> {
  const compact = { maxTokens: 500, ...options.compact };
  const b = await compactBench(script, { ...options, compact });
  if (window !== undefined) withWindow(b.model, window);
  b.ctx.tools.register(tool('bash', async () => text(OUTPUT)));
  b.ctx.tools.register(tool('tick'));
  const handle = await b.create();
  const send = (prompt = 'go') => {
    handle.agent.send(text(prompt));
    return handle.agent.whenIdle();
  };
  return { ...b, handle, send };
}

const bashes = (times: number) => Array.from({ length: times }, () => calls('bash'));

describe('compaction', () => {
  it('CP11 CP12 CP13 CP14 under pressure the oldest part goes, after the step and before its end', async () => {
    const w = await world([...bashes(4), says('done')], { window: 18_000 });
    const asked = summarizesAs(w.model, () => 'the first steps');

    await w.send();

    const { session } = w.handle.agent;
    const types = session.events.map(({ type }) => type);
    const at = types.indexOf('compact/start');
    expect(types.slice(0, at).lastIndexOf('tool/result')).toBeGreaterThan(types.slice(0, at).lastIndexOf('step/start'));
    expect(types.indexOf('step/end', at)).toBeLessThan(types.indexOf('step/start', at));
    expect(asked).toHaveLength(1);
    expect(w.ctx.tokenMeter.measure(session).totalTokens).toBeLessThan(14_400);
    expect(textOf(w.model.requests.at(-1)!.messages[0])).toContain('the first steps');
    expect(ends(session)).toEqual([{ kind: 'completed' }]);
    expect(isReproducible(session)).toBe(true);
    expect(w.errors).toEqual([]);
  });

  it('CP13 below the threshold nothing happens, not even pruning', async () => {
    const prune = { thresholdChars: 100, headChars: 20, tailChars: 20 };
    const w = await world([...bashes(2), says('done')], { window: 100_000, prune });

    await w.send();

    expect(w.handle.agent.session.surface.replaceGeneration).toBe(0);
  });

  it('CP13 instructions and tools count', async () => {
    const w = await world([...bashes(3), says('done')], { window: 30_000 });
    w.ctx.systemPrompt.section({ name: 'long', order: 1, text: 'x'.repeat(60_000) });
    const asked = summarizesAs(w.model, () => 'short');

    await w.send();

    // Three results are 11,300 tokens: less than half of the threshold of 24,000.
    expect(asked).toHaveLength(1);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('CP14 where pruning is enough, nobody is asked for a summary', async () => {
    const prune = { thresholdChars: 200, headChars: 50, tailChars: 50 };
    const w = await world([...bashes(4), says('done')], { window: 18_000, prune });
    const asked = summarizesAs(w.model, () => 'never');

    await w.send();

    expect(asked).toEqual([]);
    expect(w.handle.agent.session.surface.replaceGeneration).toBeGreaterThan(0);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('CP14 it keeps at least the retained budget of the newest part', async () => {
    const w = await world([...bashes(4), says('done')], { window: 18_000, compact: { retainTokens: 7_000 } });
    summarizesAs(w.model, () => 'the first steps');

    await w.send();

    const replaced = checkpoints(w.handle.agent.session)[0]!.seq;
    const { nodes } = w.ctx.tokenMeter.measure(w.handle.agent.session);
    const kept = nodes.slice(1).filter(({ seq }) => seq < replaced);
    expect(kept.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThanOrEqual(7_000);
  });

  it('CP14 still above the threshold after all attempts is an error, which the turn survives', async () => {
    const w = await world([...bashes(3), says('done')], { window: 14_000, compact: { retainTokens: 7_000 } });
    const asked = summarizesAs(w.model, () => 'x'.repeat(14_400 - 8 * asked.length));

    await w.send();

    expect(asked).toHaveLength(2);
    expect(w.errors.map(code)).toEqual(['COMPACT_STILL_ABOVE']);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('CP14 a second attempt shortens the summary of the first one', async () => {
    const w = await world([...bashes(4), says('done')], { window: 18_000, compact: { retainRatio: 0.45 } });
    let made = 0;
    const asked = summarizesAs(w.model, () => 'x'.repeat((made += 1) === 1 ? 12_800 : 100));

    await w.send();

    expect(asked).toHaveLength(2);
    expect(textOf(asked[1]!.messages[0])).toContain('<compacted-summary>');
    expect(w.errors).toEqual([]);
  });

  it('CP15 one indivisible unit cannot be cut', async () => {
    const { ctx } = await compactBench([], { compact: { workingWindow: 4_000, maxTokens: 500 } });
    const { session } = new LogWriter(ctx.sessions.create(SessionId('unit'))).startTurn();
    const log = new LogWriter(session);
    log.startStep();
    session.append('request/header', { header: { config: { provider: 'test', model: 'm1' } }, reason: 'initial' });
    log.answer(call('a'), call('b')).startCall('a').startCall('b').endCall('a', OUTPUT).endCall('b', OUTPUT);
    const agent = { session, options: {} };
    const { signal } = new AbortController();

    expect(await ctx.compact.compactIfNeeded(agent, 'pressure', signal)).toBeNull();
    expect(await ctx.compact.compactIfNeeded(agent, 'context-overflow', signal)).toBeNull();
    expect(session.events.some(({ type }) => type === 'compact/start')).toBe(false);
  });

  it('CP11 a summary that fails is reported and the turn goes on; it is not paid for again at once', async () => {
    const w = await world([...bashes(4), calls('tick'), calls('tick'), says('done')], { window: 18_000 });
    const asked = summarizesAs(w.model, () => OUTPUT.repeat(20));

    await w.send();

    expect(w.errors.map(code)).toEqual(['COMPACT_NOT_SMALLER']);
    expect(asked).toHaveLength(1);
    expect(w.handle.agent.session.surface.replaceGeneration).toBe(0);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('CP11 nothing is compacted for a turn that was cancelled', async () => {
    const w = await world([...bashes(4), says('done')], { window: 18_000 });
    const asked = summarizesAs(w.model, () => 'never');
    w.ctx.on('tools/post-execute', (_exec, _result, next) => {
      if (eventsOf(w.handle.agent.session, 'tool/call').length === 3) w.handle.agent.cancel();
      return next();
    });

    await w.send();

    expect(asked).toEqual([]);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('CP12 without a logged header there is nothing to go by', async () => {
    const w = await world([]);

    const { session } = w.handle.agent;
    const result = await w.ctx.compact.compactIfNeeded(w.handle.agent, 'pressure', new AbortController().signal);

    expect(result).toBeNull();
    expect(session.seq).toBe(0);
  });

  it('CP12 the window is that of the route last used, asked anew each time', async () => {
    const w = await world([calls('bash'), calls('bash'), calls('bash'), says('done')]);
    const asked: string[] = [];
    w.model.resolveModelContext = async (provider, model) => (
      asked.push(`${provider}/${model}`),
      { contextWindow: 1e6 }
    );
    w.ctx.on('agent/request', async (_a, _t, step, _c, _s, next) => ({
      ...(await next()),
      ...(step > 2 && { provider: 'other', model: 'm2' }),
    }));

    await w.send();

    expect(asked).toEqual(['test/m1', 'test/m1', 'other/m2', 'other/m2']);
  });

  it('CP16 a window that is not known is told once, and the history kept', async () => {
    const w = await world([...bashes(3), says('done')]);

    await w.send();

    expect(w.errors.map(code)).toEqual(['COMPACT_NOT_CONFIGURED']);
    expect(w.handle.agent.session.surface.replaceGeneration).toBe(0);
  });

  it('CP16 CP17 CP18 an overflow is mended without knowing the window: all but the newest unit goes', async () => {
    const w = await world([...bashes(2), fails('CONTEXT_WINDOW_EXCEEDED'), says('done')]);
    const asked = summarizesAs(w.model, () => 'all before');

    await w.send();

    const { session } = w.handle.agent;
    expect(asked).toHaveLength(1);
    const [checkpoint, ...newest] = w.model.requests.at(-1)!.messages;
    expect(textOf(checkpoint)).toContain('all before');
    expect(newest.map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect(ends(session)).toEqual([{ kind: 'completed' }]);
    expect(isReproducible(session)).toBe(true);
  });

  it.each([
    ['other failures', [calls('bash'), fails('SERVER')], {}, 'SERVER'],
    ['a policy of 0 retries', [calls('bash'), fails('CONTEXT_WINDOW_EXCEEDED')], { maxOverflowRetries: 0 }, undefined],
    ['a second overflow in a row', [calls('bash'), ...Array(2).fill(fails('CONTEXT_WINDOW_EXCEEDED'))], {}, undefined],
  ])('CP17 %s are left to others, asked exactly once', async (_, script, compact, expected) => {
    const w = await world(script as ScriptedReply[], { compact });
    summarizesAs(w.model, () => 'short');
    let asked = 0;
    w.ctx.on('agent/request-error', (_a, _t, _s, _e, _f, _p, _g, next) => ((asked += 1), next()));

    await w.send();

    const failure = { code: expected ?? 'CONTEXT_WINDOW_EXCEEDED' };
    expect(ends(w.handle.agent.session)).toMatchObject([{ kind: 'error', failure }]);
    expect(asked).toBe(1);
  });

  it('CP18 a prune alone is progress, even where the summary fails after it', async () => {
    const prune = { thresholdChars: 200, headChars: 50, tailChars: 50 };
    const w = await world([...bashes(2), fails('CONTEXT_WINDOW_EXCEEDED'), says('done')], { prune });
    summarizesAs(w.model, () => OUTPUT.repeat(50));

    await w.send();

    expect(checkpoints(w.handle.agent.session)).toEqual([]);
    expect(w.handle.agent.session.surface.replaceGeneration).toBe(2);
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('CP18 without progress the error of the provider stands, not that of the summary', async () => {
    const w = await world([...bashes(2), fails('CONTEXT_WINDOW_EXCEEDED')]);
    summarizesAs(w.model, () => OUTPUT.repeat(50));

    await w.send();

    expect(ends(w.handle.agent.session)).toMatchObject([
      { kind: 'error', failure: { code: 'CONTEXT_WINDOW_EXCEEDED' } },
    ]);
    expect(w.errors.map(code)).toContain('COMPACT_NOT_SMALLER');
  });

  it('CP18 a service that claims success and replaced nothing gets no retry', async () => {
    const w = await world([...bashes(1), fails('CONTEXT_WINDOW_EXCEEDED')]);
    w.ctx.compact.compactIfNeeded = async () => ({}) as never;

    await w.send();

    expect(ends(w.handle.agent.session)).toMatchObject([{ kind: 'error' }]);
  });

  it('CP18 a cancel during the recovery wins', async () => {
    const w = await world([...bashes(2), fails('CONTEXT_WINDOW_EXCEEDED')]);
    summarizesAs(w.model, () => (w.handle.agent.cancel(), 'short'));

    await w.send();

    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it('CP19 retries of other failures take nothing from those of an overflow, nor the other way round', async () => {
    const script = [...bashes(2), fails('SERVER'), fails('CONTEXT_WINDOW_EXCEEDED'), fails('SERVER'), says('done')];
    const w = await world(script);
    summarizesAs(w.model, () => 'short');
    await w.ctx.plugin(retryPlugin({ wait: async () => {}, random: () => 0 }), { maxRetries: 2 });

    await w.send();

    expect(llmRetry.name).toBe('llm-retry');
    expect(ends(w.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });
});
