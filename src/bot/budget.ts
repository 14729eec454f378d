import type { Config } from '../config/config.ts';
import type { SessionEvent } from '../harness/session/types.ts';
import { countUse } from '../publish/progress.ts';
import type { Problem } from './job.ts';
import { spentIn } from './spent.ts';

export interface Exceeded {
  readonly limit: 'steps' | 'tokens' | 'US dollars' | 'minutes';
  readonly spent: number;
  readonly cap: number;
}

/** The first limit of a turn that is reached, or undefined; a model without a known price is capped by tokens alone. Pure. */
export function exceededBudget(
  events: readonly SessionEvent[],
  model: string,
  limits: Config['budget']['turn'],
): Exceeded | undefined {
  const { steps } = countUse(events);
  const { tokens, cost } = spentIn(events, model);
  const figures: Exceeded[] = [
    { limit: 'steps', spent: steps, cap: limits.steps },
    { limit: 'tokens', spent: tokens, cap: limits.tokens },
    { limit: 'US dollars', spent: cost ?? 0, cap: limits.cost },
  ];
  return figures.find(({ spent, cap }) => spent >= cap);
}

export function budgetProblem({ limit, cap }: Exceeded): Problem {
  return {
    code: 'BUDGET',
    message: `The turn reached its limit of ${cap} ${limit}, so nothing was published.`,
    hint: 'Raise `budget.turn` in the configuration, or ask for less at once.',
  };
}
