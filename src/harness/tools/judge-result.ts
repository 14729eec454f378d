import type { HookContext } from '../agent/types.ts';
import { assertNever } from '../llm/errors.ts';
import type { PostToolDecision, ToolExecutionResult } from './types.ts';

/** What a post-execute decision makes of a result. */
export function judgeResult(
  result: Readonly<ToolExecutionResult>,
  decision: PostToolDecision,
): Readonly<ToolExecutionResult> {
  switch (decision.kind) {
    case 'accept': {
      const { content = result.content, additionalContexts = [] } = decision;
      return withContexts({ ...result, content }, [...(result.additionalContexts ?? []), ...additionalContexts]);
    }
    case 'block':
      return withContexts({ content: decision.feedback, isError: true }, decision.additionalContexts ?? []);
    default:
      return assertNever(decision);
  }
}

/** The result with exactly these contexts. */
export function withContexts(
  { additionalContexts: _replaced, ...result }: ToolExecutionResult,
  contexts: HookContext[],
): ToolExecutionResult {
  return contexts.length > 0 ? { ...result, additionalContexts: contexts } : result;
}
