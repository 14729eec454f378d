import type { Config } from '../../config/config.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { countUse } from '../../publish/progress/progress.ts';
import type { SubagentSpending } from '../../seams/subagent/types.ts';
import type { Problem } from '../job/job.ts';
import { spentIn } from './spent.ts';

export interface Exceeded {
  /** With its unit: `steps`, `US dollars a day for this repository`. */
  readonly limit: string;
  readonly spent: number;
  readonly cap: number;
}

/**
 * The first limit of a turn that is reached, or undefined; a model without a known price is capped by tokens alone.
 * `open` is what children have spent that are still at work. Pure.
 */
export function exceededBudget(
  events: readonly SessionEvent[],
  model: string,
  limits: Config['budget']['turn'],
  open: readonly SubagentSpending[] = [],
): Exceeded | undefined {
  return figuresOf(events, model, limits, open).find(({ spent, cap }) => spent >= cap);
}

/** What a turn has used of each of its limits, its minutes by the times in its log. Pure. */
export function budgetShares(
  events: readonly SessionEvent[],
  model: string,
  limits: Config['budget']['turn'],
): readonly Exceeded[] {
  const minutes = ((events.at(-1)?.time ?? 0) - (events[0]?.time ?? 0)) / 60_000;
  return [...figuresOf(events, model, limits, []), { limit: 'minutes', spent: minutes, cap: limits.minutes }];
}

function figuresOf(
  events: readonly SessionEvent[],
  model: string,
  limits: Config['budget']['turn'],
  open: readonly SubagentSpending[],
): Exceeded[] {
  const { steps } = countUse(events);
  const { tokens, cost } = spentIn(events, model, open);
  return [
    { limit: 'steps', spent: steps, cap: limits.steps },
    { limit: 'tokens', spent: tokens, cap: limits.tokens },
    { limit: 'US dollars', spent: cost ?? 0, cap: limits.cost },
  ];
}

export function budgetProblem({ limit, cap }: Exceeded): Problem {
  const isOfDay = limit.includes(' a day ');
  return {
    code: 'BUDGET',
    message: isOfDay
      ? `The limit of ${cap} ${limit} is reached, so nothing was published.`
      : `The turn reached its limit of ${cap} ${limit}, so nothing was published.`,
    hint: isOfDay
      ? 'Go on tomorrow with `/dsh retry` (days begin at midnight UTC), or raise `budget.day` in the configuration.'
      : '`/dsh budget` raises what a turn may cost, `budget.turn` in the configuration every limit; `/dsh retry` goes on.',
  };
}
