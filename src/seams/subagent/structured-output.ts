import type { Context } from '../../harness/kernel/context.ts';
import { ToolArgsError } from '../../harness/tools/errors.ts';
import type { StructuredOutputSchema } from '../../harness/tools/output-schema.ts';
import type { ToolDefinition, ToolExecutionToken } from '../../harness/tools/types.ts';
import { validateStructuredValue } from '../../harness/tools/validate-structured-value.ts';

export const STRUCTURED_OUTPUT = 'structured_output';

const SECTION = `Report by one call of \`${STRUCTURED_OUTPUT}\`: only its arguments reach whoever gave you the task, text does not. The task ends with the call that is accepted.`;

/** The value a child was asked for; `isCommitted` tells a value apart from none. */
export interface StructuredCapture {
  readonly isCommitted: boolean;
  readonly value: unknown;
}

/**
 * Gives one child a tool that takes its answer. A value counts once the final result of its call is a success, within
 * other calls once theirs are; from then on nothing more runs and the turn ends.
 */
export function captureStructuredOutput(childCtx: Context, schema: StructuredOutputSchema): StructuredCapture {
  const capture = { isCommitted: false, value: undefined as unknown };
  const staged = new Map<ToolExecutionToken, unknown>();
  childCtx.tools.register(structuredOutputTool(schema, (token, value) => staged.set(token, value)));
  childCtx.systemPrompt.section({ name: `tool:${STRUCTURED_OUTPUT}`, order: 190, text: SECTION });
  childCtx.tools.guard(() => (capture.isCommitted ? 'the report is in: the task is over' : undefined));
  childCtx.on('agent/turn-stop', () => (capture.isCommitted ? { action: 'stop' as const } : undefined));
  childCtx.on('tools/result', ({ token, parent }, { isError }) => {
    if (!staged.has(token)) return;
    const value = staged.get(token);
    staged.delete(token);
    if (isError || capture.isCommitted) return;
    if (parent === undefined) Object.assign(capture, { isCommitted: true, value });
    else staged.set(parent, value);
  });
  return capture;
}

function structuredOutputTool(
  schema: StructuredOutputSchema,
  stage: (token: ToolExecutionToken, value: unknown) => void,
): ToolDefinition {
  return {
    name: STRUCTURED_OUTPUT,
    description: 'Reports the result of the task, once, when the work is done.',
    parameters: schema as unknown as Record<string, unknown>,
    execute: async (args, { token }) => {
      const violations = validateStructuredValue(schema, args);
      if (violations.length > 0) throw new ToolArgsError(STRUCTURED_OUTPUT, violations, args);
      stage(token, args);
      return [{ type: 'text', text: 'The report is in.' }];
    },
  };
}
