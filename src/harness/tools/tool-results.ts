import { HarnessError } from '../llm/errors.ts';
import { snapshotJsonValue } from '../session/json.ts';
import { TOOL_ABORTED, TOOL_ABORTED_BEFORE_DISPATCH } from './errors.ts';
import type { ToolErrorInfo, ToolExecutionResult } from './types.ts';

/** A failed call, told to the model as `Error: <message>`. */
export function errorResult(message: string, error?: ToolErrorInfo): ToolExecutionResult {
  return { content: [{ type: 'text', text: `Error: ${message}` }], isError: true, ...(error && { error }) };
}

/** Cancelled with certainty of no effect. Also the result of calls that a cancelled batch never started. */
export function abortedBeforeDispatch(): ToolExecutionResult {
  return errorResult('tool call aborted before dispatch', { name: 'AbortError', code: TOOL_ABORTED_BEFORE_DISPATCH });
}

/** Cancelled while running: effects are possible. */
export function aborted(): ToolExecutionResult {
  return errorResult('tool call aborted', { name: 'AbortError', code: TOOL_ABORTED });
}

/** Only our own coded errors carry a code; anything may be thrown, so nothing about the value is trusted. */
export function resultOfThrown(thrown: unknown): ToolExecutionResult {
  try {
    if (!(thrown instanceof HarnessError)) return errorResult(messageOf(thrown));
    return errorResult(messageOf(thrown), { name: String(thrown.name), code: String(thrown.code) });
  } catch {
    return errorResult('the tool threw a value that cannot be described');
  }
}

/** The same result, detached and frozen; one that is not lossless JSON becomes an error. */
export function frozenResult(result: ToolExecutionResult): ToolExecutionResult {
  try {
    return snapshotJsonValue(result);
  } catch (error) {
    return snapshotJsonValue(errorResult(`the tool's result cannot be recorded: ${messageOf(error)}`));
  }
}

function messageOf(thrown: unknown): string {
  if (!Error.isError(thrown)) return String(thrown);
  return String(thrown.message) || String(thrown.name);
}
