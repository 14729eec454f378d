import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { hasAuthority } from '../../harness/session/message-authority.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { goalToolError } from './goal-tool-error.ts';
import type { GoalMessageSource, GoalView } from './types.ts';

/** Who speaks in the turn that runs. */
export interface TurnAuthority {
  readonly agent: Agent;
  readonly turn: number;
  /** A person with authority spoke in this turn, to an agent that nobody else made (G24). */
  readonly isHuman: boolean;
  /** The round this turn is. */
  readonly round: GoalMessageSource | undefined;
}

/** Throws where the call is not made by a live agent in its own turn (G23). */
export function authorityOf(ctx: Context, { agent }: Pick<ToolExecution, 'agent'>): TurnAuthority {
  if (!agent || ctx.agents.get(agent.id) !== agent || agent.status !== 'running')
    throw goalToolError('GOAL_TOOL_AGENT_REQUIRED', 'only a running agent can do this');
  const turn = agent.session.openTurn;
  if (turn === undefined || ctx.agents.currentInitiator() !== agent)
    throw goalToolError('GOAL_TOOL_DRIVER_REQUIRED', 'this belongs into a turn of the agent itself');
  const said = messagesOf(agent.session.events);
  const isRoot = ctx.agents.roots().includes(agent);
  const isHuman = isRoot && said.some((source) => hasAuthority(source as never));
  return { agent, turn, isHuman, round: said.find((source) => source.kind === 'goal') };
}

/** Whether the turn is the round that the goal is at, unchanged since. */
export function isCurrentRound({ round }: TurnAuthority, goal: GoalView): boolean {
  return (
    round !== undefined &&
    round.goalId === goal.id &&
    round.revision === goal.revision &&
    round.round === goal.roundsStarted
  );
}

/** Sources of what was said in the last turn. */
function messagesOf(events: readonly SessionEvent[]) {
  const start = events.findLastIndex(({ type }) => type === 'turn/start');
  return events
    .slice(start)
    .flatMap((event) =>
      event.type === 'user/message' || event.type === 'steering/message' ? [event.data.source] : [],
    );
}
