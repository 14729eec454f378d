import type { Context, Disposer } from '../../harness/kernel/context.ts';

/** Guidance for one tool that stands in the prompt only where the tool can be called. */
export function toolSection(ctx: Context, tool: string, order: number, text: string): Disposer {
  return ctx.systemPrompt.section({
    name: `tool:${tool}`,
    order,
    text: ({ scope }) => (ctx.tools.get(tool, scope) ? text : ''),
  });
}
