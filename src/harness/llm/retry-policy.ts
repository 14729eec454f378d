import * as z from 'zod';
import type { LlmFailure } from './types.ts';

const delayMs = z.number().positive().max(2_147_483_647);

/** When a failed request is sent again. Each mounted policy owns its codes and counts only those. */
export const RetryConfig = z
  .strictObject({
    maxRetries: z.int().nonnegative().default(2),
    initialDelayMs: delayMs.default(500),
    maxDelayMs: delayMs.default(10_000),
    /** Share of the delay that is drawn at random, in both directions. */
    jitter: z.number().min(0).max(1).default(0.1),
    codes: z
      .array(z.string().min(1))
      .nonempty()
      .refine((codes) => new Set(codes).size === codes.length, 'codes must be unique')
      .default(['RATE_LIMIT', 'SERVER', 'TIMEOUT', 'TRANSPORT', 'STREAM_CLOSED', 'EMPTY_RESPONSE']),
  })
  .refine((config) => config.initialDelayMs <= config.maxDelayMs, 'initialDelayMs must not exceed maxDelayMs');
export type RetryConfig = z.output<typeof RetryConfig>;

export interface PlannedRetry {
  /** From 1. */
  retry: number;
  delayMs: number;
}

/** The next try, or `undefined` where this policy has nothing to say. `random` is in [0, 1). */
export function planRetry(
  failure: LlmFailure,
  priorFailures: readonly LlmFailure[],
  config: RetryConfig,
  random: number,
): PlannedRetry | undefined {
  if (!config.codes.includes(failure.code)) return undefined;
  const retry = priorFailures.filter((prior) => config.codes.includes(prior.code)).length + 1;
  if (retry > config.maxRetries) return undefined;
  const { providerRetryAfterMs } = failure;
  if (providerRetryAfterMs === undefined) return { retry, delayMs: backoffMs(retry, config, random) };
  return providerRetryAfterMs > config.maxDelayMs ? undefined : { retry, delayMs: providerRetryAfterMs };
}

function backoffMs(retry: number, { initialDelayMs, maxDelayMs, jitter }: RetryConfig, random: number): number {
  const plain = Math.min(initialDelayMs * 2 ** (retry - 1), maxDelayMs);
  return Math.min(plain * (1 + jitter * (2 * random - 1)), maxDelayMs);
}
