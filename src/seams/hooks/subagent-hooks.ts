import type { Agent } from '../../harness/agent/types.ts';
import { carrierKeyOf } from '../../harness/scope/scope.ts';
import type { SubagentRunInfo } from '../subagent/types.ts';
import { createDetachedRuns } from './detached-runs.ts';
import type { HookBridge } from './hook-bridge.ts';

/** `SubagentStart` and `SubagentStop`: nothing waits for them. The first may tell the child something, while it lives. */
export function addSubagentHooks(bridge: HookBridge): void {
  const { ctx, rules } = bridge;
  const runs = createDetachedRuns((error) => ctx.notify('kernel/error', error, rules.source.plugin));
  ctx.effect(() => () => runs.drain(), 'subagent hooks');
  ctx.on('subagent/start', function (info) {
    runs.track(tellChild(bridge, carrierKeyOf(this) as Agent, info, runs.signal));
  });
  ctx.on('subagent/end', function ({ id }) {
    const parent = carrierKeyOf(this) as Agent;
    runs.track(bridge.run(parent, { point: 'SubagentStop', agentId: id }, runs.signal));
  });
}

async function tellChild(
  bridge: HookBridge,
  parent: Agent,
  { id }: SubagentRunInfo,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await bridge.run(parent, { point: 'SubagentStart', agentId: id }, signal);
  for (const context of bridge.contexts(outcome)) {
    const child = bridge.ctx.get('agents')?.get(id);
    if (signal.aborted || !child || child.status !== 'running') return;
    child.inject(context.content, { source: context.source });
  }
}
