import { GOAL_TEXTS } from './goal-texts.ts';
import type { GoalTexts } from './goal-texts.ts';
import type { GoalView } from './types.ts';

/** A goal for people, in lines. Pure. */
export function describeGoal(
  goal: Omit<GoalView, 'createdAt' | 'updatedAt' | 'id' | 'revision'>,
  texts: GoalTexts = GOAL_TEXTS,
): string {
  const { objective, phase, blockedReason, roundsStarted, maxGoalRounds, activation } = goal;
  const state = phase === 'active' && activation === 'disarmed' ? texts.waits : texts.phases[phase];
  const lines = [texts.heading(state, roundsStarted, maxGoalRounds), '', objective];
  return [...lines, ...(blockedReason ? ['', texts.blocked(blockedReason)] : [])].join('\n');
}
