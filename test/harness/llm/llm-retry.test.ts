import { describe, expect, it } from '@jest/globals';
import type { Agent, RequestErrorDecision } from '../../../src/harness/agent/types.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { LlmError } from '../../../src/harness/llm/errors.ts';
import { llmRetry, retryPlugin } from '../../../src/harness/llm/llm-retry.ts';
import { planRetry, RetryConfig } from '../../../src/harness/llm/retry-policy.ts';
import type { LlmFailure } from '../../../src/harness/llm/types.ts';

const DEFAULTS = RetryConfig.parse({});

function failure(code: string, more: Partial<LlmFailure> = {}): LlmFailure {
  return { message: code, code, ...more };
}

/** A clock whose waits end when the test says so. */
class ManualClock {
  readonly waits: { delayMs: number; end: () => void }[] = [];
  random = () => 0.5;
  wait(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waits.push({ delayMs, end: resolve });
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }
}

class Harness {
  readonly ctx = new Context();
  readonly clock = new ManualClock();
  readonly log: { type: string; data: unknown }[] = [];
  readonly turn = new AbortController();
  readonly #agent = { session: { append: (type: string, data: unknown) => this.log.push({ type, data }) } };

  mount(config: Parameters<typeof llmRetry.apply>[1] = {}) {
    return this.ctx.plugin(retryPlugin(this.clock), config);
  }

  fail(failed: LlmFailure, prior: LlmFailure[] = []): Promise<RequestErrorDecision> {
    const error = new LlmError(failed.message, failed.code);
    const agent = this.#agent as unknown as Agent;
    const innermost = (): RequestErrorDecision => ({ action: 'fail' });
    const { signal } = this.turn;
    const outcome = this.ctx.waterfall('agent/request-error', agent, 1, 2, error, failed, prior, signal, innermost);
    return Promise.resolve(outcome);
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('llm-streaming', () => {
  it('L24 defaults are two retries, 500 ms to 10 s, a tenth of jitter and the codes of a busy or broken line', () => {
    expect(DEFAULTS).toEqual({
      maxRetries: 2,
      initialDelayMs: 500,
      maxDelayMs: 10_000,
      jitter: 0.1,
      codes: ['RATE_LIMIT', 'SERVER', 'TIMEOUT', 'TRANSPORT', 'STREAM_CLOSED', 'EMPTY_RESPONSE'],
    });
  });

  it.each([
    [0, 0.5, 500],
    [1, 0.5, 1000],
    [4, 0.5, 8000],
    [5, 0.5, 10_000],
    [0, 0, 450],
    [0, 0.999999, 550],
    [9, 0.999999, 10_000],
  ])('L24 after %i failures and with a draw of %d the delay is %i ms', (failures, random, delayMs) => {
    const config = { ...DEFAULTS, maxRetries: 20 };
    const prior = Array.from({ length: failures }, () => failure('SERVER'));

    expect(planRetry(failure('SERVER'), prior, config, random)?.delayMs).toBeCloseTo(delayMs, 1);
    expect(planRetry(failure('SERVER'), prior, config, random)!.delayMs).toBeLessThanOrEqual(10_000);
  });

  it.each<[string, object]>([
    ['an initial delay above the cap', { initialDelayMs: 20_000 }],
    ['no codes', { codes: [] }],
    ['a code twice', { codes: ['SERVER', 'SERVER'] }],
    ['an empty code', { codes: [''] }],
    ['a negative budget', { maxRetries: -1 }],
    ['more jitter than delay', { jitter: 2 }],
    ['an unknown setting', { retries: 3 }],
  ])('L24 %s is refused when the policy is mounted', async (_what, config) => {
    const { ctx } = new Harness();

    await expect((async () => ctx.plugin(llmRetry, config))()).rejects.toThrow();
  });

  it('L25 the budget counts only failures whose code the policy owns', () => {
    const prior = [failure('SERVER'), failure('CONTEXT_WINDOW_EXCEEDED'), failure('CONTEXT_WINDOW_EXCEEDED')];

    expect(planRetry(failure('TIMEOUT'), prior, DEFAULTS, 0.5)).toEqual({ retry: 2, delayMs: 1000 });
    expect(planRetry(failure('TIMEOUT'), [...prior, failure('SERVER')], DEFAULTS, 0.5)).toBeUndefined();
  });

  it('L25 a fresh run of failures has the whole budget again', () => {
    expect(planRetry(failure('SERVER'), [], DEFAULTS, 0.5)).toMatchObject({ retry: 1 });
  });

  it('L25 codes of others, and failures beyond the budget, are left to the next policy', async () => {
    const harness = new Harness();
    await harness.mount();
    await harness.mount({ codes: ['CONTEXT_WINDOW_EXCEEDED'], maxRetries: 1 });

    const overflow = harness.fail(failure('CONTEXT_WINDOW_EXCEEDED'), [failure('SERVER'), failure('SERVER')]);
    await tick();
    harness.clock.waits[0]!.end();

    expect(await overflow).toEqual({ action: 'retry' });
    expect(await harness.fail(failure('AUTH'))).toEqual({ action: 'fail' });
    expect(await harness.fail(failure('SERVER'), [failure('SERVER'), failure('SERVER')])).toEqual({ action: 'fail' });
    expect(harness.log).toHaveLength(1);
  });

  it('L26 what the provider asks for replaces the local delay, up to the cap', () => {
    const asked = (providerRetryAfterMs: number) =>
      planRetry(failure('RATE_LIMIT', { providerRetryAfterMs }), [], DEFAULTS, 0.9);

    expect(asked(3000)).toEqual({ retry: 1, delayMs: 3000 });
    expect(asked(10_000)).toEqual({ retry: 1, delayMs: 10_000 });
    expect(asked(10_001)).toBeUndefined();
  });

  it('L26 above the cap the policy delegates at once and logs nothing', async () => {
    const harness = new Harness();
    await harness.mount();

    expect(await harness.fail(failure('RATE_LIMIT', { providerRetryAfterMs: 60_000 }))).toEqual({ action: 'fail' });
    expect(harness.log).toEqual([]);
  });

  it('L27 the retry is logged before the wait', async () => {
    const harness = new Harness();
    await harness.mount();

    const decision = harness.fail(failure('SERVER', { status: 503 }));
    await tick();

    expect(harness.log).toEqual([
      {
        type: 'llm/retry',
        data: {
          turn: 1,
          step: 2,
          retry: 1,
          maxRetries: 2,
          delayMs: 500,
          failure: { message: 'SERVER', code: 'SERVER', status: 503 },
        },
      },
    ]);
    expect(harness.clock.waits.map(({ delayMs }) => delayMs)).toEqual([500]);
    harness.clock.waits[0]!.end();
    expect(await decision).toEqual({ action: 'retry' });
  });

  it('L27 cancelling the turn ends the wait as a failure', async () => {
    const harness = new Harness();
    await harness.mount();
    const decision = harness.fail(failure('SERVER'));
    await tick();

    harness.turn.abort({ kind: 'user' });

    expect(await decision).toEqual({ action: 'fail' });
  });

  it('L27 a turn cancelled just as the wait ends is not sent again', async () => {
    const harness = new Harness();
    await harness.mount();
    const decision = harness.fail(failure('SERVER'));
    await tick();

    harness.clock.waits[0]!.end();
    harness.turn.abort({ kind: 'user' });

    expect(await decision).toEqual({ action: 'fail' });
  });

  it('L27 a cancelled turn is not waited for at all', async () => {
    const harness = new Harness();
    await harness.mount();
    harness.turn.abort({ kind: 'user' });

    expect(await harness.fail(failure('SERVER'))).toEqual({ action: 'fail' });
    expect(harness.log).toEqual([]);
  });

  it('L27 unloading the policy ends its waits and waits for them', async () => {
    const harness = new Harness();
    const fiber = harness.mount();
    await fiber;
    const settled: string[] = [];
    const decision = harness.fail(failure('SERVER')).then((outcome) => settled.push(outcome.action));
    await tick();

    await fiber.dispose();
    settled.push('unloaded');
    await decision;

    expect(settled[0]).toBe('fail');
  });

  it('L27 the clock of the mounted policy is the real one', async () => {
    const harness = new Harness();
    await harness.ctx.plugin(llmRetry, { initialDelayMs: 5, maxDelayMs: 5 });

    expect(await harness.fail(failure('SERVER'))).toEqual({ action: 'retry' });
  });
});
