import { nextRunCause, runOf } from '../bot/job/job-cause.ts';
import type { JobOutcome } from '../bot/job/job.ts';
import type { Config } from '../config/config.ts';
import type { SessionEvent } from '../harness/session/types.ts';
import type { Turn } from '../publish/progress/surface.ts';
import { foldGoal } from '../seams/goal/fold-goal.ts';
import { atLeast } from '../triggers/rights.ts';
import type { PermissionFact } from '../triggers/rights.ts';

export interface GoalFacts {
  readonly events: readonly SessionEvent[];
  /** What the person who allowed further runs may do now. */
  readonly permission: PermissionFact;
}

/** How many further runs a command allows (goal.md, section 8). Pure. */
export function runsLeft({ job, reading }: Turn): number {
  if (job !== 'goal' || reading.kind !== 'command') return 0;
  return Number(reading.command.flags['runs'] ?? 0) - runOf(reading.cause);
}

/**
 * The next run of a goal whose budget ended one, where a person allowed it to go on by itself, may still do so, and the goal
 * has rounds left. What a person, the model or a fault stopped goes on by a person's word alone. Pure.
 */
export function followUpGoal(
  turn: Turn,
  { problem, tokens }: Pick<JobOutcome, 'problem' | 'tokens'>,
  { events, permission }: GoalFacts,
  { permissions }: Pick<Config, 'permissions'>,
): Turn | undefined {
  const { reading } = turn;
  if (reading.kind !== 'command' || runsLeft(turn) < 1) return undefined;
  // One that could do nothing, such as after the money of the day, is not followed by more of them.
  if (problem?.code !== 'BUDGET' || tokens === 0) return undefined;
  if (!atLeast(permission, permissions.approve)) return undefined;
  const { goal, roundsStarted } = foldGoal(events);
  const isCutOff = goal?.phase === 'active' || goal?.blockedReason?.code === 'budget-exhausted';
  if (!goal || !isCutOff || roundsStarted >= goal.maxGoalRounds) return undefined;
  const command = { ...reading.command, text: 'resume' };
  return {
    ...{ ...turn, request: 'Go on with the goal.', permission },
    reading: { ...reading, command, cause: nextRunCause(reading.cause) },
  };
}
