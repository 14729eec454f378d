import type { Agent } from '../../harness/agent/types.ts';
import type { HookBridge } from './hook-bridge.ts';

/** A hook that always refuses would keep a turn going for ever. */
const MAX_FORCED_CONTINUATIONS = 3;
const NO_REASON = 'A hook refused to let this turn end and gave no reason. Check whether the work is really done.';

/** `Stop`: asked when the turn is about to end; a denial sends it on, with the reason as steering. */
export function addStopHooks(bridge: HookBridge): void {
  const forced = new WeakMap<Agent, { readonly turn: number; readonly times: number }>();
  bridge.ctx.on('agent/turn-continuation', async (agent, turn, _default, signal, next) => {
    const decision = await next();
    if (decision.action === 'continue') return decision;
    const last = forced.get(agent);
    const times = last?.turn === turn ? last.times : 0;
    const outcome = await bridge.run(agent, { point: 'Stop', stopHookActive: times > 0 }, signal);
    if (outcome.decision !== 'deny' || times === MAX_FORCED_CONTINUATIONS) return decision;
    forced.set(agent, { turn, times: times + 1 });
    const text = outcome.reason ?? NO_REASON;
    return { action: 'continue', reason: { content: [{ type: 'text', text }], source: bridge.rules.source } };
  });
}
