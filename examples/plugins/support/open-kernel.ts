import { agentLoop, agents } from 'dsh-github/agent';
import type { Agent } from 'dsh-github/agent';
import { Context } from 'dsh-github/kernel';
import type { Plugin } from 'dsh-github/kernel';
import { chunkValidator, llm } from 'dsh-github/llm';
import type { LlmAdapter } from 'dsh-github/llm';
import { SessionId, sessionStore } from 'dsh-github/session';
import type { SessionEvent, SessionEventType } from 'dsh-github/session';
import { systemPrompt } from 'dsh-github/system-prompt';
import { tools } from 'dsh-github/tools';

/** A whole kernel with the real loop: model, sessions, tools, agents. `plugins` are mounted beside them. */
export async function openKernel(adapter: LlmAdapter, plugins: readonly Plugin<void>[] = []): Promise<Context> {
  const ctx = new Context();
  for (const plugin of [llm, chunkValidator, agents]) await ctx.plugin(plugin);
  for (const plugin of [sessionStore, systemPrompt, tools]) await ctx.plugin(plugin, undefined);
  await ctx.plugin(agentLoop, undefined);
  ctx.llm.registerAdapter(['example'], adapter);
  for (const plugin of plugins) await ctx.plugin(plugin, undefined);
  return ctx;
}

/** One agent in it, and one turn of it. */
export async function runTurn(ctx: Context, request: string): Promise<Agent> {
  const { agent } = await ctx.agents.create({
    sessionId: SessionId('example-session'),
    agentOptions: { provider: 'example', model: 'any' },
  });
  agent.send([{ type: 'text', text: request }]);
  await agent.whenIdle();
  return agent;
}

/** What the log holds of one type. */
export function logged<T extends SessionEventType>(agent: Agent, type: T): SessionEvent<T>['data'][] {
  return agent.session.events.flatMap((event) => (event.type === type ? [(event as SessionEvent<T>).data] : []));
}
