import type { SessionEvent } from '../harness/session/types.ts';
import { costOf, priceOf } from '../models/prices.ts';
import { countUse } from '../publish/progress.ts';
import { billedUsage } from '../seams/token-meter/billed-usage.ts';

export interface Spent {
  readonly tokens: number;
  /** US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** Tokens and money of a stretch of the log; failed attempts count as far as the provider told their usage. */
export function spentIn(events: readonly SessionEvent[], model: string): Spent {
  const [provider = '', ...name] = model.split('/');
  const price = priceOf(provider, name.join('/'));
  const cost = price && billedUsage(events).reduce((sum, usage) => sum + (costOf(usage, price) ?? 0), 0);
  return { tokens: countUse(events).tokens, cost };
}
