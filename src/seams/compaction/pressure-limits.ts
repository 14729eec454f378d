import type { EpochHeader } from '../../harness/session/types.ts';
import { estimateHeader } from '../token-meter/estimate.ts';
import type { CompactPolicy } from './policy.ts';

/** In tokens. */
export interface PressureLimits {
  /** From here on the whole request is too large. */
  readonly threshold: number;
  /** What stays of the newest part of the history. */
  readonly retain: number;
}

export interface LimitFacts {
  /** What the model takes, if that is known. */
  readonly window: number | undefined;
  /** What is used of it at most. */
  readonly working: number | undefined;
  readonly policy: CompactPolicy;
  readonly header: EpochHeader | undefined;
}

/** The limits, or why there are none. Pure. */
export function limitsOf({ window, working, policy, header }: LimitFacts): PressureLimits | string {
  const used = Math.min(window ?? Infinity, working ?? Infinity);
  if (used === Infinity) return 'how large its window is, is not known';
  const threshold = Math.floor(used * policy.thresholdRatio);
  const { retain: kept } = policy;
  const retain = 'tokens' in kept ? kept.tokens : Math.floor(used * kept.ratio);
  if (retain >= threshold) return `retainTokens ${retain} is not below the threshold of ${threshold} tokens`;
  const envelope = header ? estimateHeader(header) : 0;
  if (envelope + retain >= threshold) {
    return `instructions and tools alone are ${envelope} tokens, which leaves no room below ${threshold}`;
  }
  return { threshold, retain };
}
