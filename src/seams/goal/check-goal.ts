import { GoalError } from './goal-error.ts';
import type { GoalBlockReason } from './types.ts';

/** Trimmed. Throws `GOAL_INVALID_OBJECTIVE` where nothing is left (G6). */
export function checkObjective(objective: string): string {
  const trimmed = objective.trim();
  if (trimmed === '') throw new GoalError('a goal needs an objective', 'GOAL_INVALID_OBJECTIVE');
  return trimmed;
}

/** Throws `GOAL_INVALID_MAX_ROUNDS`. */
export function checkRounds(rounds: number): number {
  if (Number.isSafeInteger(rounds) && rounds > 0) return rounds;
  throw new GoalError('the number of rounds must be a positive whole number', 'GOAL_INVALID_MAX_ROUNDS');
}

const CODE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Throws `GOAL_INVALID_BLOCK_REASON`. */
export function checkReason({ code, message }: GoalBlockReason): GoalBlockReason {
  const trimmed = message.trim();
  if (CODE.test(code) && trimmed !== '') return { code, message: trimmed };
  throw new GoalError('a block needs a code of lower-case words and a message', 'GOAL_INVALID_BLOCK_REASON');
}
