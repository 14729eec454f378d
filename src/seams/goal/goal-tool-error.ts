import { HarnessError } from '../../harness/llm/errors.ts';

export type GoalToolErrorCode =
  | 'GOAL_TOOL_AGENT_REQUIRED'
  | 'GOAL_TOOL_DRIVER_REQUIRED'
  | 'GOAL_TOOL_AUTHORITY_REQUIRED'
  | 'GOAL_TOOL_BLOCK_THRESHOLD'
  | 'GOAL_TOOL_INVALID_UPDATE';

export function goalToolError(code: GoalToolErrorCode, message: string): HarnessError {
  return new HarnessError(message, code);
}
