import type { Agent } from '../../harness/agent/types.ts';
import type { Plugin } from '../../harness/kernel/context.ts';
import type { CommandResult } from '../commands/types.ts';
import '../commands/command-service.ts';
import type { Goals } from './goals.ts';
import { isGoalError } from './goal-error.ts';
import { describeGoal } from './describe-goal.ts';
import { GOAL_TEXTS } from './goal-texts.ts';
import type { GoalTexts } from './goal-texts.ts';
import { goalWord } from './goal-word.ts';
import type { GoalView } from './types.ts';

export interface GoalCommandConfig {
  /** The language of the answer to some words; English by default. */
  readonly textsFor?: (words: string) => GoalTexts;
}

/** The words people have for goals; they need no model. */
export const goalCommand: Plugin<GoalCommandConfig | undefined> = {
  name: 'goal-command',
  inject: ['commands', 'goals'],
  apply(ctx, { textsFor = () => GOAL_TEXTS } = {}) {
    ctx.commands.register({
      name: 'goal',
      description: 'Set, show, change, pause, resume or clear the goal.',
      input: { hint: '<objective> | edit <objective> | pause | resume | clear' },
      handler: ({ agent, rawInput }) => runGoalCommand(ctx.goals, agent, rawInput, textsFor(rawInput)),
    });
  },
};

/** What a domain rejects is told in words without ids; anything else is a fault and goes on. */
export function runGoalCommand(goals: Goals, agent: Agent, rawInput: string, texts: GoalTexts): CommandResult {
  try {
    return act(goals, agent, rawInput, texts);
  } catch (error) {
    if (!isGoalError(error)) throw error;
    return failure(texts.rejections[error.code] ?? texts.rejected);
  }
}

function act(goals: Goals, agent: Agent, rawInput: string, texts: GoalTexts): CommandResult {
  const word = goalWord(rawInput);
  const goal = goals.get(agent);
  const told = (text: string, changed: GoalView) => success(`${text}\n\n${describeGoal(changed, texts)}`);
  switch (word.kind) {
    case 'show':
      return success(goal ? describeGoal(goal, texts) : texts.usage);
    case 'create':
      return told(texts.set, goals.create(agent, { objective: word.objective }));
    case 'clear':
      if (goal) goals.clear(agent, goal);
      return success(goal ? texts.cleared : texts.nothingToClear);
    case 'pause':
      return goal ? told(texts.paused, goals.pause(agent, goal)) : failure(texts.usage);
    case 'resume':
      return goal ? told(texts.goesOn, goals.resume(agent, goal)) : failure(texts.usage);
    case 'edit': {
      if (!goal) return failure(texts.usage);
      if (word.objective === '') return failure(texts.writeObjective);
      const { objective } = word;
      const changed =
        goal.phase === 'complete' ? goals.create(agent, { objective }) : goals.edit(agent, goal, { objective });
      return told(texts.changed, changed);
    }
  }
}

function success(text: string): CommandResult {
  return { kind: 'success', text };
}

function failure(text: string): CommandResult {
  return { kind: 'error', text };
}
