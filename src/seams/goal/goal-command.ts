import type { Agent } from '../../harness/agent/types.ts';
import type { Plugin } from '../../harness/kernel/context.ts';
import type { CommandResult } from '../commands/types.ts';
import '../commands/command-service.ts';
import type { Goals } from './goals.ts';
import { isGoalError } from './goal-error.ts';
import { describeGoal } from './describe-goal.ts';
import { goalWord } from './goal-word.ts';

const USAGE = 'There is no goal. Write `goal` and an objective to set one.';

/** The words people have for goals; they need no model. */
export const goalCommand: Plugin = {
  name: 'goal-command',
  inject: ['commands', 'goals'],
  apply(ctx) {
    ctx.commands.register({
      name: 'goal',
      description: 'Set, show, change, pause, resume or clear the goal.',
      input: { hint: '<objective> | edit <objective> | pause | resume | clear' },
      handler: ({ agent, rawInput }) => runGoalCommand(ctx.goals, agent, rawInput),
    });
  },
};

/** What a domain rejects is told in words without ids; anything else is a fault and goes on. */
export function runGoalCommand(goals: Goals, agent: Agent, rawInput: string): CommandResult {
  try {
    return act(goals, agent, rawInput);
  } catch (error) {
    if (!isGoalError(error)) throw error;
    return { kind: 'error', text: REJECTIONS[error.code] ?? 'The goal does not take that now.' };
  }
}

function act(goals: Goals, agent: Agent, rawInput: string): CommandResult {
  const word = goalWord(rawInput);
  const goal = goals.get(agent);
  switch (word.kind) {
    case 'show':
      return { kind: 'success', text: goal ? describeGoal(goal) : USAGE };
    case 'create':
      return told('The goal is set.', goals.create(agent, { objective: word.objective }));
    case 'clear':
      if (goal) goals.clear(agent, goal);
      return { kind: 'success', text: goal ? 'The goal is cleared.' : 'There was no goal.' };
    case 'pause':
      return goal ? told('The goal is paused.', goals.pause(agent, goal)) : { kind: 'error', text: USAGE };
    case 'resume':
      return goal ? told('The goal goes on.', goals.resume(agent, goal)) : { kind: 'error', text: USAGE };
    case 'edit': {
      if (!goal) return { kind: 'error', text: USAGE };
      if (word.objective === '') return { kind: 'error', text: 'Write the new objective after `edit`.' };
      const { objective } = word;
      const changed =
        goal.phase === 'complete' ? goals.create(agent, { objective }) : goals.edit(agent, goal, { objective });
      return told('The goal is changed.', changed);
    }
  }
}

function told(text: string, goal: Parameters<typeof describeGoal>[0]): CommandResult {
  return { kind: 'success', text: `${text}\n\n${describeGoal(goal)}` };
}

const REJECTIONS: Readonly<Record<string, string>> = {
  GOAL_ALREADY_EXISTS: 'There is an unfinished goal. Clear or edit it first.',
  GOAL_INVALID_OBJECTIVE: 'A goal needs an objective.',
  GOAL_INVALID_TRANSITION: 'The goal does not take that now.',
  GOAL_STALE_REVISION: 'The goal changed meanwhile. Look at it, and try again.',
  GOAL_NOT_FOUND: USAGE,
};
