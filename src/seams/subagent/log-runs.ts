import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { TokenUsage } from '../../harness/llm/types.ts';
import { carrierKeyOf } from '../../harness/scope/scope.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { billedUsage } from '../token-meter/billed-usage.ts';
import type { SubagentRunId, SubagentSpending } from './types.ts';

/**
 * Puts each local child into its parent's log: where it worked, how it ended and what it was paid. `sessionOf` answers the
 * session of a run, which is not always one of this kernel.
 */
export function logRuns(ctx: Context, sessionOf: (run: SubagentRunId) => Session | undefined): void {
  const children = new Map<SubagentRunId, Session>();
  ctx.on('subagent/start', function ({ runId, provider, id, label }) {
    const child = sessionOf(runId);
    const { session } = carrierKeyOf(this) as Agent;
    if (!child || session.openTurn === undefined) return;
    children.set(runId, child);
    const name = label === undefined ? {} : { label };
    session.append('subagent/started', { turn: session.openTurn, runId, provider, session: id, ...name });
  });
  ctx.on('subagent/end', function ({ runId, id, stopReason, patch }) {
    const child = children.get(runId);
    children.delete(runId);
    const { session } = carrierKeyOf(this) as Agent;
    if (!child || session.openTurn === undefined) return;
    const facts = { ...spendingOf(child), ...(patch !== undefined && { patch }) };
    session.append('subagent/ended', { turn: session.openTurn, runId, session: id, stopReason, ...facts });
  });
}

/** What a child's own events came to, its children's included. */
export function spendingOf(child: Session): { steps: number; spent: SubagentSpending[] } {
  const own = child.events.slice(child.header.seedLength ?? 0);
  const steps = own.filter(({ type }) => type === 'step/start').length;
  const usages = billedUsage(own);
  const config = child.requestHeader()?.config;
  const spent =
    config && usages.length > 0
      ? [{ provider: config.provider, model: config.model, usage: usages.reduce(sumUsage) }]
      : [];
  return { steps, spent: [...spent, ...spentByChildren(own)] };
}

/** What children that have ended were paid, as the parent's log tells it. */
export function spentByChildren(events: readonly SessionEvent[]): SubagentSpending[] {
  return events.flatMap((event) => (event.type === 'subagent/ended' ? event.data.spent : []));
}

function sumUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const total: Record<string, number> = { ...a };
  for (const [key, value] of Object.entries(b)) total[key] = (total[key] ?? 0) + (value as number);
  return total as unknown as TokenUsage;
}
