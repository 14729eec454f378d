import type { GoalView } from './types.ts';

/** A goal for people, in lines. Pure. */
export function describeGoal(goal: Omit<GoalView, 'createdAt' | 'updatedAt' | 'id' | 'revision'>): string {
  const { objective, phase, blockedReason, roundsStarted, maxGoalRounds, activation } = goal;
  const state = phase === 'active' && activation === 'disarmed' ? 'active, waiting for `resume`' : phase;
  const lines = [`Goal (${state}, round ${roundsStarted} of ${maxGoalRounds}):`, '', objective];
  return [...lines, ...(blockedReason ? ['', `Blocked (${blockedReason.code}): ${blockedReason.message}`] : [])].join(
    '\n',
  );
}
