import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, RequestErrorDecision } from '../agent/types.ts';
import type { Context } from '../kernel/context.ts';
import type * as z from 'zod';
import { checkRetryEvent } from './check-retry-event.ts';
import { planRetry, RetryConfig } from './retry-policy.ts';
import type { LlmFailure } from './types.ts';

declare module '../session/types.ts' {
  interface SessionEventMap {
    /** A retry that is about to be waited for; log-only. */
    'llm/retry': {
      turn: number;
      step: number;
      retry: number;
      maxRetries: number;
      delayMs: number;
      failure: LlmFailure;
    };
  }
}

export interface RetryClock {
  /** Resolves after `delayMs`; rejects when the signal aborts. */
  wait(delayMs: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

const systemClock: RetryClock = {
  wait: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
  random: Math.random,
};

/** A policy that sends failed model requests again as new steps. Mount it once per set of codes. */
export function retryPlugin(clock: RetryClock) {
  return {
    name: 'llm-retry',
    apply(ctx: Context, config: z.input<typeof RetryConfig> = {}): void {
      const policy = new RetryPolicy(RetryConfig.parse(config), clock);
      ctx.effect(() => () => policy.close(), 'llm-retry waits');
      ctx.effect(() => ctx.get('sessions')?.addValidator(checkRetryEvent), 'llm/retry validator');
      ctx.on('agent/request-error', (agent, turn, step, _error, failure, priorFailures, signal, next) =>
        policy.decide({ agent, turn, step, failure, priorFailures, signal }, next),
      );
    },
  };
}

export const llmRetry = retryPlugin(systemClock);

interface FailedRequest {
  agent: Agent;
  turn: number;
  step: number;
  failure: LlmFailure;
  priorFailures: readonly LlmFailure[];
  signal: AbortSignal;
}

class RetryPolicy {
  readonly #config: RetryConfig;
  readonly #clock: RetryClock;
  readonly #unload = new AbortController();
  readonly #waits = new Set<Promise<RequestErrorDecision>>();

  constructor(config: RetryConfig, clock: RetryClock) {
    this.#config = config;
    this.#clock = clock;
  }

  async decide(
    request: FailedRequest,
    next: () => RequestErrorDecision | Promise<RequestErrorDecision>,
  ): Promise<RequestErrorDecision> {
    const { agent, turn, step, failure, priorFailures, signal } = request;
    const planned = planRetry(failure, priorFailures, this.#config, this.#clock.random());
    if (!planned) return next();
    if (this.#isOver(signal)) return { action: 'fail' };

    const { maxRetries } = this.#config;
    agent.session.append('llm/retry', { turn, step, ...planned, maxRetries, failure });
    return this.#tracked(this.#waitFor(planned.delayMs, signal));
  }

  /** Ends all waits as `fail` and resolves when they have ended. */
  async close(): Promise<void> {
    this.#unload.abort();
    await Promise.all(this.#waits);
  }

  async #waitFor(delayMs: number, signal: AbortSignal): Promise<RequestErrorDecision> {
    try {
      await this.#clock.wait(delayMs, AbortSignal.any([signal, this.#unload.signal]));
    } catch (error) {
      if (!this.#isOver(signal)) throw error;
    }
    return { action: this.#isOver(signal) ? 'fail' : 'retry' };
  }

  async #tracked(wait: Promise<RequestErrorDecision>): Promise<RequestErrorDecision> {
    this.#waits.add(wait);
    try {
      return await wait;
    } finally {
      this.#waits.delete(wait);
    }
  }

  #isOver(signal: AbortSignal): boolean {
    return signal.aborted || this.#unload.signal.aborted;
  }
}
