import type { Agent, SessionStartSource } from '../../harness/agent/types.ts';
import { createDetachedRuns } from './detached-runs.ts';
import type { HookBridge } from './hook-bridge.ts';

/** `SessionStart`: nothing waits for it, so what it says may miss the first request. It can only add context. */
export function addSessionStartHooks(bridge: HookBridge): void {
  const { ctx, rules } = bridge;
  const runs = createDetachedRuns((error) => ctx.notify('kernel/error', error, rules.source.plugin));
  ctx.effect(() => () => runs.drain(), 'session start hooks');
  ctx.on('agent/session-start', (agent, source) => runs.track(start(bridge, agent, source, runs.signal)));
}

async function start(bridge: HookBridge, agent: Agent, source: SessionStartSource, signal: AbortSignal): Promise<void> {
  const outcome = await bridge.run(agent, { point: 'SessionStart', source }, signal);
  for (const context of bridge.contexts(outcome)) {
    if (signal.aborted || agent.status === 'disposed') return;
    agent.inject(context.content, { source: context.source });
  }
}
