import type { Context } from '../kernel/context.ts';
import { scopeTarget } from '../scope/scope.ts';
import type { Session } from '../session/session.ts';
import { agentEvents } from './agent-events.ts';
import { AgentLifetime } from './agent-lifetime.ts';
import { LiveAgent } from './live-agent.ts';
import type { LoopServices } from './loop.ts';
import type { AgentHandle, AgentOptions, SessionStartSource } from './types.ts';

export interface AgentPlan {
  readonly ownerCtx: Context;
  readonly source: SessionStartSource;
  readonly agentOptions: AgentOptions | undefined;
  /** Covers the creation only. */
  readonly signal: AbortSignal | undefined;
  readonly setup: ((agentCtx: Context) => Promise<void> | void) | undefined;
  /** Makes the session without publishing it. */
  prepare(): Session | Promise<Session>;
}

/**
 * Brings an agent to life, all or nothing. What it holds passes piece by piece into one lifetime, which the handle,
 * the owner and the loop plugin share.
 */
export async function createAgent(services: LoopServices, plan: AgentPlan): Promise<AgentHandle> {
  const lifetime = new AgentLifetime();
  plan.signal?.throwIfAborted();
  lifetime.tieTo(plan.ownerCtx);
  try {
    const agent = await build(services, plan, lifetime);
    publish(agent, services, plan, lifetime);
    agent.start();
    return handleOf(agent, lifetime);
  } catch (error) {
    await lifetime
      .dispose()
      .catch((failure: unknown) => services.ctx.notify('kernel/error', failure, 'agent creation'));
    throw error;
  }
}

/** Setup registers through the agent's context, before anyone can see or drive the agent. */
async function build(services: LoopServices, plan: AgentPlan, lifetime: AgentLifetime): Promise<LiveAgent> {
  const session = await plan.prepare();
  lifetime.assertWanted(plan.signal);
  const agent = new LiveAgent(session, plan.agentOptions ?? {}, services);
  lifetime.own(agent.scope.dispose);
  lifetime.own(() => agent.stop());
  lifetime.tieTo(services.ctx);
  await plan.setup?.(agent.ctx);
  lifetime.assertWanted(plan.signal);
  return agent;
}

/** Torn down in the reverse order: the driver drains, the agent leaves, its session leaves, its scope unwinds. */
function publish(agent: LiveAgent, services: LoopServices, plan: AgentPlan, lifetime: AgentLifetime): void {
  const { sessions, ctx } = services;
  lifetime.own(sessions.enter(agent.session, scopeTarget({}, agent)));
  lifetime.own(ctx.agents.enter(agent, plan.ownerCtx));
  lifetime.own(() => agent.stop());
  sessions.announce(agent.session);
  lifetime.assertWanted(plan.signal);
  ctx.agents.announce(agent);
  lifetime.assertWanted(plan.signal);
  agentEvents(ctx, agent).emit('agent/session-start', plan.source);
  lifetime.assertWanted(plan.signal);
}

function handleOf(agent: LiveAgent, lifetime: AgentLifetime): AgentHandle {
  return {
    agent,
    dispose: lifetime.dispose,
    park: (request) => agent.park(request),
    resumeParked: (options) => agent.resumeParked(options),
  };
}
