import type { Context } from '../../harness/kernel/context.ts';

/** `ripgrep: 'present'` for an executor whose image is known to have it: then no command runs at load. */
export interface SearchToolConfig {
  ripgrep?: 'probe' | 'present';
}

/** Whether the search tools can work: they are registered only then. */
export async function hasRipgrep(ctx: Context, { ripgrep = 'probe' }: SearchToolConfig): Promise<boolean> {
  if (ripgrep === 'present') return true;
  const sandboxPolicy = ctx.get('sandboxPolicy')?.resolve();
  const request = { command: 'command -v rg', ...(sandboxPolicy && { sandboxPolicy }) };
  const { exitCode } = await ctx.bash.run(ctx.bash.resolve(request));
  return exitCode === 0;
}
