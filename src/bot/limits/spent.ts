import type { SessionEvent } from '../../harness/session/types.ts';
import { costOf, priceOf } from '../../models/prices.ts';
import { countUse } from '../../publish/progress/progress.ts';
import { spentByChildren } from '../../seams/subagent/log-runs.ts';
import type { SubagentSpending } from '../../seams/subagent/types.ts';
import { billedUsage, totalTokensOf } from '../../seams/token-meter/billed-usage.ts';

export interface Spent {
  readonly tokens: number;
  /** US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/**
 * Tokens and money of a stretch of the log, that of its children included; failed attempts count as far as the provider
 * told their usage. `open` is what children have spent whose end is not logged yet.
 */
export function spentIn(events: readonly SessionEvent[], model: string, open: readonly SubagentSpending[] = []): Spent {
  const [provider = '', ...name] = model.split('/');
  const price = priceOf(provider, name.join('/'));
  const own = price && billedUsage(events).reduce((sum, usage) => sum + (costOf(usage, price) ?? 0), 0);
  const delegated = [...spentByChildren(events), ...open].map(costOfChild);
  const cost = own === undefined ? undefined : delegated.reduce((sum, part) => sum + part, own);
  const openTokens = open.reduce((sum, { usage }) => sum + totalTokensOf(usage), 0);
  return { tokens: countUse(events).tokens + openTokens, cost };
}

function costOfChild({ provider, model, usage }: SubagentSpending): number {
  return costOf(usage, priceOf(provider, model)) ?? 0;
}
