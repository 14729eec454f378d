import type { SessionEvent } from '../harness/session/types.ts';
import { costOf, priceOf } from '../models/prices.ts';
import { countUse } from '../publish/progress.ts';

export interface Spent {
  readonly tokens: number;
  /** US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** Tokens and money of a stretch of the log; failed attempts count as far as the provider told their usage. */
export function spentIn(events: readonly SessionEvent[], model: string): Spent {
  const [provider = '', ...name] = model.split('/');
  const price = priceOf(provider, name.join('/'));
  const usages = events.flatMap((event) =>
    event.type === 'assistant/chunk' && event.data.chunk.type === 'usage' ? [event.data.chunk.usage] : [],
  );
  const cost = price && usages.reduce((sum, usage) => sum + (costOf(usage, price) ?? 0), 0);
  return { tokens: countUse(events).tokens, cost };
}
