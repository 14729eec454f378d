import { HarnessError } from '../llm/errors.ts';
import { RESERVED_TOOL_NAME } from './reserved-tool-name.ts';
import type { ToolDefinition } from './types.ts';

/** Throws `INVALID_TOOL` for a name or time limit no tool can have. */
export function checkDefinition({ name, timeoutMs }: ToolDefinition): void {
  if (name === '') throw new HarnessError('a tool needs a name', 'INVALID_TOOL');
  if (name === RESERVED_TOOL_NAME) throw new HarnessError(`the tool name "${name}" is reserved`, 'INVALID_TOOL');
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new HarnessError(`timeoutMs of tool "${name}" must be positive and finite`, 'INVALID_TOOL');
  }
}
