import { HarnessError } from '../../harness/llm/errors.ts';

export type GoalErrorCode =
  | 'GOAL_AGENT_NOT_LIVE'
  | 'GOAL_NOT_FOUND'
  | 'GOAL_ALREADY_EXISTS'
  | 'GOAL_STALE_REVISION'
  | 'GOAL_INVALID_OBJECTIVE'
  | 'GOAL_INVALID_MAX_ROUNDS'
  | 'GOAL_INVALID_BLOCK_REASON'
  | 'GOAL_INVALID_EDIT'
  | 'GOAL_INVALID_TRANSITION';

export class GoalError extends HarnessError {
  declare readonly code: GoalErrorCode;

  constructor(message: string, code: GoalErrorCode) {
    super(message, code);
    this.name = 'GoalError';
  }
}

export function isGoalError(error: unknown): error is GoalError {
  return String((error as { code?: unknown } | undefined)?.code).startsWith('GOAL_');
}
