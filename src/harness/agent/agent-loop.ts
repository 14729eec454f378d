import type * as z from 'zod';
import type { Context, Plugin } from '../kernel/context.ts';
import { HarnessError } from '../llm/errors.ts';
import { prepareStoredSession } from '../session/prepare-stored-session.ts';
import type { SessionPersistence } from '../session/persistence.ts';
import { createAgent } from './create-agent.ts';
import type { LoopServices } from './loop.ts';
import { installPromptVariables } from './prompt-variables.ts';
import { installRequestChecker } from './check-request.ts';
import { AgentLoopConfig } from './agent-loop-config.ts';
import { startConfiguredAgents } from './start-configured-agents.ts';
import type { AgentFactory } from './types.ts';

/** The loop: makes agents, drives them, and checks that the log reproduces every request they send. */
export const agentLoop: Plugin<z.input<typeof AgentLoopConfig> | undefined> = {
  name: 'agent-loop',
  inject: ['agents', 'sessions', 'llm', 'tools', 'systemPrompt'],
  apply(ctx, config = {}) {
    const { maxParallelToolCalls, agents } = AgentLoopConfig.parse(config);
    const { llm, tools, systemPrompt, sessions } = ctx;
    installPromptVariables(ctx);
    installRequestChecker(ctx);
    ctx.agents.setFactory(agentFactory({ llm, tools, systemPrompt, sessions, ctx, maxParallelToolCalls }));
    startConfiguredAgents(ctx, agents);
  },
};

function agentFactory(services: LoopServices): AgentFactory {
  const { sessions } = services;
  return {
    createAgent: (ownerCtx, { sessionId, meta = {}, seed = [], agentOptions, signal, setup }) =>
      createAgent(services, {
        ...{ ownerCtx, agentOptions, signal, setup },
        source: 'startup',
        prepare: () => sessions.prepare(sessionId, { seed, meta }),
      }),
    resume: (ownerCtx, { resumeSessionId, agentOptions, signal, setup }) =>
      createAgent(services, {
        ...{ ownerCtx, agentOptions, signal, setup },
        source: 'resume',
        prepare: () => prepareStoredSession(resumeSessionId, { persistence: persistenceOf(services.ctx), sessions }),
      }),
  };
}

function persistenceOf(ctx: Context): SessionPersistence {
  const persistence = ctx.get('persistence');
  if (!persistence) throw new HarnessError('no persistence is mounted, so no session can be resumed', 'NO_PERSISTENCE');
  return persistence;
}
