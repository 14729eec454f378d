import { HarnessError } from '../../harness/llm/errors.ts';

export type SubagentErrorCode =
  | 'NO_PROVIDER'
  | 'DUPLICATE_PROVIDER'
  | 'UNSUPPORTED_CAPABILITY'
  | 'INVALID_DEPTH'
  | 'DEPTH_OUT_OF_RANGE'
  | 'DEPTH_EXCEEDED'
  | 'INVALID_CONFIG'
  | 'TOO_MANY_SUBAGENTS';

/** A delegation that was refused before a child existed. */
export class SubagentError extends HarnessError {
  declare readonly code: SubagentErrorCode;

  constructor(message: string, code: SubagentErrorCode) {
    super(message, code);
    this.name = 'SubagentError';
  }
}
