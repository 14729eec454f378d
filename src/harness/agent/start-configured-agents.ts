import type { Context } from '../kernel/context.ts';
import { SessionId } from '../session/types.ts';
import { sessionIdOf } from './agent-loop-config.ts';
import type { ConfiguredAgent } from './agent-loop-config.ts';
import type { AgentHandle } from './types.ts';

/** Starts each on its own: one that fails is reported and stops no other. They live as long as `ctx`. */
export function startConfiguredAgents(ctx: Context, agents: readonly ConfiguredAgent[]): void {
  for (const agent of agents) {
    const id = SessionId(sessionIdOf(agent));
    start(ctx, agent, id).catch((error: unknown) => ctx.notify('agent-loop/config-start-failed', id, error));
  }
}

async function start(ctx: Context, agent: ConfiguredAgent, id: SessionId): Promise<AgentHandle> {
  const { provider, model, cwd } = agent;
  const agentOptions = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
  if (await isToBeResumed(ctx, agent, id)) return ctx.agents.resume({ resumeSessionId: id, agentOptions });
  return ctx.agents.create({ sessionId: id, agentOptions, meta: { ...(cwd !== undefined && { cwd }) } });
}

async function isToBeResumed(ctx: Context, agent: ConfiguredAgent, id: SessionId): Promise<boolean> {
  if (agent.resumeSessionId !== undefined) return true;
  if (agent.sessionId === undefined) return false;
  const stored = (await ctx.get('persistence')?.list()) ?? [];
  return stored.some((header) => header.id === id);
}
