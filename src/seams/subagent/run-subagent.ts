import type { Context } from '../../harness/kernel/context.ts';
import type { SubagentResult, SubagentRun, SubagentStartRequest } from './types.ts';
import './subagent-service.ts';

/** One child from start to end, disposed on every path. `started` hears of it while it lives. */
export async function runSubagent(
  ctx: Context,
  provider: string,
  request: SubagentStartRequest,
  started: (run: SubagentRun) => void = () => {},
): Promise<SubagentResult> {
  const run = await ctx.subagents.start(provider, request);
  try {
    started(run);
    return await run.result;
  } finally {
    await run.dispose();
  }
}
