import type { Goals } from './goals.ts';
import { isCurrentRound } from './goal-authority.ts';
import type { TurnAuthority } from './goal-authority.ts';
import { goalToolError } from './goal-tool-error.ts';
import type { GoalRef, GoalView } from './types.ts';
import { GoalId } from './types.ts';

export interface GoalUpdate {
  readonly id: string;
  readonly revision: number;
  readonly action: 'edit' | 'pause' | 'resume' | 'complete' | 'blocked';
  readonly objective?: string | undefined;
  readonly max_rounds?: number | undefined;
  readonly blocked_reason?: string | undefined;
}

/** Whether the update ends the round that made it: a model that is done or stuck by its own judgement (G26). */
export interface Updated {
  readonly goal: GoalView;
  readonly isAutonomous: boolean;
}

/** Changes the goal as far as whoever speaks in this turn may (G24, G25). */
export function updateGoal(goals: Goals, update: GoalUpdate, authority: TurnAuthority, threshold: number): Updated {
  const { agent, isHuman } = authority;
  const { action, objective, max_rounds: maxGoalRounds, blocked_reason: reason } = withoutBlanks(update);
  checkShape(action, { objective, maxGoalRounds, reason });
  const ref: GoalRef = { id: GoalId(update.id), revision: update.revision };
  const goal = goals.get(agent);
  const isRound = goal !== undefined && isCurrentRound(authority, goal);
  const done = (changed: GoalView) => ({ goal: changed, isAutonomous: !isHuman });
  if (!isHuman && !(isRound && (action === 'complete' || action === 'blocked'))) throw unauthorized();
  switch (action) {
    case 'edit':
      return done(goals.edit(agent, ref, { ...(objective && { objective }), ...(maxGoalRounds && { maxGoalRounds }) }));
    case 'pause':
      return done(goals.pause(agent, ref));
    case 'resume':
      return done(goals.resume(agent, ref));
    case 'complete':
      return done(goals.complete(agent, ref));
    case 'blocked':
      if (!isHuman && (authority.round?.round ?? 0) < threshold) throw tooEarly(threshold);
      return done(goals.block(agent, ref, { code: 'model-reported', message: reason ?? '' }));
  }
}

/** Models fill what they do not mean with empty texts and zeros (G27). */
function withoutBlanks({ objective, max_rounds, blocked_reason, ...rest }: GoalUpdate): GoalUpdate {
  return {
    ...rest,
    ...(objective?.trim() && { objective }),
    ...(max_rounds && { max_rounds }),
    ...(blocked_reason?.trim() && { blocked_reason }),
  };
}

interface Optional {
  readonly objective: string | undefined;
  readonly maxGoalRounds: number | undefined;
  readonly reason: string | undefined;
}

function checkShape(action: GoalUpdate['action'], { objective, maxGoalRounds, reason }: Optional): void {
  const edits = objective !== undefined || maxGoalRounds !== undefined;
  if ((action === 'edit') !== edits)
    throw invalid(edits ? `${action} takes no objective and no max_rounds` : 'edit needs an objective or max_rounds');
  if ((action === 'blocked') !== (reason !== undefined))
    throw invalid(reason === undefined ? 'blocked needs a blocked_reason' : `${action} takes no blocked_reason`);
}

function invalid(message: string) {
  return goalToolError('GOAL_TOOL_INVALID_UPDATE', message);
}

function unauthorized() {
  return goalToolError(
    'GOAL_TOOL_AUTHORITY_REQUIRED',
    'a person must ask for this in this turn; a round itself may only report that the goal is complete or blocked',
  );
}

function tooEarly(threshold: number) {
  return goalToolError(
    'GOAL_TOOL_BLOCK_THRESHOLD',
    `not before round ${threshold}: try another way first, and end your message when there is nothing more to try now`,
  );
}
