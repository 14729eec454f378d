import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import { authorityOf } from './goal-authority.ts';
import { jsonText } from './goal-change.ts';
import { goalToolError } from './goal-tool-error.ts';
import { updateGoal } from './update-goal.ts';
import type { GoalView } from './types.ts';
import './goals.ts';

export interface GoalToolsConfig {
  /** The first round in which a model may report that it is stuck. */
  readonly blockedAfterConsecutiveRounds?: number;
  /** Whether a round that reports its goal complete or blocked ends there; else whoever mounts this ends it. */
  readonly endsTurn?: boolean;
  /** Whether the model may set a goal; where the host sets it there is nothing to create. */
  readonly creates?: boolean;
}

export const goalTools: Plugin<GoalToolsConfig | undefined> = {
  name: 'goal-tools',
  inject: ['tools', 'goals', 'agents'],
  apply(ctx, { blockedAfterConsecutiveRounds = 3, endsTurn = true, creates = true } = {}) {
    const ending = new WeakMap<Agent, number>();
    ctx.tools.register(getGoal(ctx));
    if (creates) ctx.tools.register(createGoal(ctx));
    ctx.tools.register(updateGoalTool(ctx, blockedAfterConsecutiveRounds, (agent, turn) => ending.set(agent, turn)));
    if (!endsTurn) return;
    ctx.on('agent/turn-stop', (agent, turn) => (ending.get(agent) === turn ? { action: 'stop' as const } : undefined));
  },
};

function getGoal(ctx: Context): ToolDefinition {
  return defineTool({
    name: 'get_goal',
    description: 'Shows the goal of this session: its objective, phase, rounds and revision.',
    parameters: {},
    execute: async (_args, exec) => shown(ctx.goals.get(authorityOf(ctx, exec).agent)),
    presentCall: () => ({ card: 'generic', title: 'look at the goal' }),
  });
}

function createGoal(ctx: Context): ToolDefinition {
  return defineTool({
    name: 'create_goal',
    description:
      'Sets a goal that further rounds of work are begun for until it is met. Only where a person asks for it in this turn.',
    parameters: {
      objective: { type: 'string', required: true, description: 'What is to be so in the end, and how one sees it.' },
      max_rounds: { type: 'number', description: 'Rounds it may take at most.' },
    },
    execute: async ({ objective, max_rounds: rounds }, exec) => {
      const { agent, isHuman } = authorityOf(ctx, exec);
      if (!isHuman) throw goalToolError('GOAL_TOOL_AUTHORITY_REQUIRED', 'a person must ask for a goal in this turn');
      return shown(ctx.goals.create(agent, { objective, ...(rounds && { maxGoalRounds: rounds }) }));
    },
    presentCall: ({ objective }) => ({ card: 'generic', title: `set the goal: ${objective}` }),
  });
}

const UPDATE = `Changes the goal, as its id and revision are now.
- complete: the objective is met, and you have seen the evidence in this turn.
- blocked: something you cannot change has stood in the way round after round; \`blocked_reason\` says what.
- edit, pause, resume: only where a person asks for it in this turn.`;

function updateGoalTool(ctx: Context, threshold: number, end: (agent: Agent, turn: number) => void): ToolDefinition {
  return defineTool({
    name: 'update_goal',
    description: UPDATE,
    parameters: {
      id: { type: 'string', required: true, description: 'As get_goal shows it.' },
      revision: { type: 'number', required: true, description: 'As get_goal shows it.' },
      action: { type: 'string', required: true, enum: ['complete', 'blocked', 'edit', 'pause', 'resume'] },
      objective: { type: 'string', description: 'With edit.' },
      max_rounds: { type: 'number', description: 'With edit.' },
      blocked_reason: { type: 'string', description: 'With blocked: what stands in the way.' },
    },
    execute: async (args, exec) => {
      const authority = authorityOf(ctx, exec);
      const { goal, isAutonomous } = updateGoal(ctx.goals, args, authority, threshold);
      if (isAutonomous) end(authority.agent, authority.turn);
      return shown(goal);
    },
    presentCall: ({ action }) => ({ card: 'generic', title: `goal: ${action}` }),
  });
}

function shown(goal: GoalView | undefined) {
  return [{ type: 'text' as const, text: jsonText(goal ?? null) }];
}
