import type { Context } from '../kernel/context.ts';
import type { AssembleContext } from '../system-prompt/types.ts';
import './events.ts';

/** What a prompt may name of the agent it is for. The route is the one the next request starts from. */
export function installPromptVariables(ctx: Context): void {
  ctx.systemPrompt.variable('provider', (context) => routeOf(context)?.provider);
  ctx.systemPrompt.variable('model', (context) => routeOf(context)?.model);
  ctx.systemPrompt.variable('cwd', ({ agent }) => agent?.session.header.cwd);
}

function routeOf({ agent }: AssembleContext) {
  return agent?.session.requestHeader()?.config ?? agent?.options;
}
