import { goalDriver } from '../../seams/goal/goal-driver.ts';
import { goalTools } from '../../seams/goal/goal-tools.ts';
import type { AgentSetup } from '../job/set-up-agent.ts';

/**
 * Rounds towards a goal, and the tools to report on it. A budget that is spent blocks the goal; the turn that completes it
 * ends by the job's own conclusion, for the verification may send it back.
 */
export function addGoal({ root, view, request }: Pick<AgentSetup, 'root' | 'view' | 'request'>): void {
  const { cause } = request.turn.reading;
  root.plugin(goalTools, { endsTurn: false, creates: false });
  root.plugin(goalDriver, {
    trigger: (round) => ({ kind: 'goal-round', cause, round }),
    limit: () => view.problem && { code: LIMITS[view.problem.code] ?? 'job-failed', message: view.problem.message },
  });
}

const LIMITS: Readonly<Record<string, string>> = { BUDGET: 'budget-exhausted' };
