import { Context } from '../../../src/harness/kernel/context.ts';
import { agentLoop } from '../../../src/harness/agent/agent-loop.ts';
import { agents } from '../../../src/harness/agent/registry.ts';
import type { AgentHandle, CreateAgentOptions } from '../../../src/harness/agent/types.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { ContentBlock } from '../../../src/harness/llm/types.ts';
import { scopeInvariants } from '../../../src/harness/scope/scope-invariants.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent, SessionEventType } from '../../../src/harness/session/types.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import type { ToolDefinition } from '../../../src/harness/tools/types.ts';
import { ScriptedModel } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

export interface Bench {
  ctx: Context;
  model: ScriptedModel;
  /** What listeners threw into the void. */
  errors: unknown[];
  create(options?: Partial<CreateAgentOptions>): Promise<AgentHandle>;
}

type LoopConfig = Parameters<typeof agentLoop.apply>[1];

/** The whole harness with a scripted model behind provider `test`. `prepare` acts before the loop is there. */
export async function bench(
  script: readonly ScriptedReply[] = [],
  config: LoopConfig = {},
  prepare: (early: Bench) => LoopConfig = () => config,
): Promise<Bench> {
  const ctx = new Context();
  const model = new ScriptedModel(script);
  const errors: unknown[] = [];
  ctx.on('kernel/error', (error) => void errors.push(error));
  for (const plugin of [scopeInvariants, llm, agents]) await ctx.plugin(plugin);
  await ctx.plugin(sessionStore);
  await ctx.plugin(systemPrompt);
  await ctx.plugin(tools);
  ctx.llm.registerAdapter(['test', 'other'], model);
  const b = { ctx, model, errors, create: creator(ctx) };
  await ctx.plugin(agentLoop, prepare(b));
  return b;
}

function creator(ctx: Context): Bench['create'] {
  let made = 0;
  return (options = {}) =>
    ctx.agents.create({
      sessionId: SessionId(`s${(made += 1)}`),
      agentOptions: { provider: 'test', model: 'm1' },
      ...options,
    });
}

export function text(value: string): ContentBlock[] {
  return [{ type: 'text', text: value }];
}

/** A tool that answers with its name, or does what `run` does. */
export function tool(
  name: string,
  run?: ToolDefinition['execute'],
  extra: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name,
    description: name,
    parameters: { type: 'object' },
    execute: run ?? (async () => text(`${name} done`)),
    ...extra,
  };
}

export function typesOf(session: Session): string[] {
  return session.events
    .map((event) => event.type)
    .filter((type) => type !== 'assistant/chunk' && type !== 'request/digest');
}

export function eventsOf<T extends SessionEventType>(session: Session, type: T): SessionEvent<T>[] {
  return session.events.filter((event): event is SessionEvent<T> => event.type === type);
}

export function ends(session: Session) {
  return eventsOf(session, 'turn/end').map((event) => event.data.reason);
}

/** A promise to be opened by hand. */
export function gate<T = void>() {
  return Promise.withResolvers<T>();
}

/** Lets everything that is ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export { CallId };
