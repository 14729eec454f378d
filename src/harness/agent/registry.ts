import type { Context, Disposer, Plugin } from '../kernel/context.ts';
import { VIEW_FOR } from '../kernel/service-registry.ts';
import type { SessionId } from '../session/types.ts';
import { AgentDirectory } from './agent-directory.ts';
import type { InitiatorScope } from './initiator.ts';
import type { Agent, AgentFactory, AgentHandle, CreateAgentOptions, ResumeAgentOptions } from './types.ts';

declare module '../kernel/context.ts' {
  interface Context {
    agents: AgentRegistry;
  }
}

/** `ctx.agents`. Agents made through a context live no longer than it, and belong to the agent whose scope it is. */
export class AgentRegistry {
  readonly #ctx: Context;
  readonly #directory: AgentDirectory;

  constructor(ctx: Context, directory: AgentDirectory = new AgentDirectory(ctx)) {
    this.#ctx = ctx;
    this.#directory = directory;
  }

  [VIEW_FOR](ctx: Context): AgentRegistry {
    return new AgentRegistry(ctx, this.#directory);
  }

  /** All or nothing. Throws `NO_AGENT_FACTORY`, and whatever setup or a listener of the creation throws. */
  async create(options: CreateAgentOptions): Promise<AgentHandle> {
    return this.#directory.factory.createAgent(this.#ctx, options);
  }

  /** As `create`, from the stored log of a session. */
  async resume(options: ResumeAgentOptions): Promise<AgentHandle> {
    return this.#directory.factory.resume(this.#ctx, options);
  }

  /** Throws `AGENT_FACTORY_EXISTS`: there is one at a time. */
  setFactory(factory: AgentFactory): Disposer {
    return this.#ctx.effect(() => this.#directory.setFactory(factory), 'agent factory');
  }

  /** Publishes an agent that somebody else drives. */
  register(agent: Agent): Disposer {
    return this.#ctx.effect(() => {
      const leave = this.enter(agent);
      this.announce(agent);
      return leave;
    }, `agent ${agent.id}`);
  }

  /** First half of `register`: the agent can be found. Throws `AGENT_EXISTS`. */
  enter(agent: Agent, owner: Context = this.#ctx): () => void {
    return this.#directory.enter(agent, owner);
  }

  /** Second half: others are told, and may veto by a synchronous throw. */
  announce(agent: Agent): void {
    this.#directory.announce(agent);
  }

  get(id: SessionId): Agent | undefined {
    return this.#directory.get(id);
  }

  list(): Agent[] {
    return this.#directory.list();
  }

  /** Those that were not made through another agent's context. */
  roots(): Agent[] {
    return this.#directory.roots();
  }

  isOwnedBy(id: SessionId, owner: Agent): boolean {
    return this.#directory.isOwnedBy(id, owner);
  }

  get initiators(): InitiatorScope {
    return this.#directory.initiators;
  }

  currentInitiator(): Agent | undefined {
    return this.initiators.current();
  }

  requireInitiator(): Agent {
    return this.initiators.require();
  }

  withInitiator<R>(agent: Agent, fn: () => R): R {
    return this.initiators.run(agent, fn);
  }

  withoutInitiator<R>(fn: () => R): R {
    return this.initiators.run(undefined, fn);
  }
}

/** Provides `ctx.agents`. */
export const agents: Plugin = {
  name: 'agents',
  apply(ctx) {
    ctx.provide('agents', new AgentRegistry(ctx));
  },
};
