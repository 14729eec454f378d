import { HarnessError } from '../llm/errors.ts';
import { misfitText, unknownToolText } from './explain-call.ts';

/** The call was cancelled while its body ran: it may have had effects. */
export const TOOL_ABORTED = 'ABORTED';
/** The call was cancelled before its body began: it had none. */
export const TOOL_ABORTED_BEFORE_DISPATCH = 'ABORTED_BEFORE_DISPATCH';

export class ToolNotFoundError extends HarnessError {
  constructor(name: string, known: readonly string[] = []) {
    super(unknownToolText(name, known), 'UNKNOWN_TOOL');
    this.name = 'ToolNotFoundError';
  }
}

/** The arguments do not fit the tool's parameters; `violations` has one line for each misfit. */
export class ToolArgsError extends HarnessError {
  readonly violations: readonly string[];

  constructor(toolName: string, violations: readonly string[], args: unknown) {
    super(misfitText(toolName, violations, args), 'INVALID_ARGS');
    this.name = 'ToolArgsError';
    this.violations = violations;
  }
}

/** A schema goes beyond the supported subset; `violations` has one line for each excess. */
export class OutputSchemaError extends HarnessError {
  readonly violations: readonly string[];

  constructor(violations: readonly string[]) {
    super(`unsupported output schema: ${violations.join('; ')}`, 'UNSUPPORTED_SCHEMA');
    this.name = 'OutputSchemaError';
    this.violations = violations;
  }
}

export class ToolTimeoutError extends HarnessError {
  constructor(timeoutMs: number) {
    super(`tool call timed out after ${timeoutMs}ms`, 'TOOL_TIMEOUT');
    this.name = 'ToolTimeoutError';
  }
}
