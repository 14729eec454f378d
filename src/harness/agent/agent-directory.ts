import type { Context } from '../kernel/context.ts';
import { HarnessError } from '../llm/errors.ts';
import { scopeOf, scopeTarget } from '../scope/scope.ts';
import type { SessionId } from '../session/types.ts';
import { InitiatorScope } from './initiator.ts';
import type { Agent, AgentFactory } from './types.ts';
import './events.ts';

interface Entry {
  readonly agent: Agent;
  /** The agent through whose context this one was made. */
  readonly owner: object | undefined;
  isAnnounced: boolean;
  isAnnouncing: boolean;
  isLeaving: boolean;
}

/** The live agents of a process, and who makes new ones. All views of `ctx.agents` share it. */
export class AgentDirectory {
  readonly initiators = new InitiatorScope();
  readonly #ctx: Context;
  readonly #entries = new Map<SessionId, Entry>();
  #factory: AgentFactory | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  get factory(): AgentFactory {
    if (!this.#factory) throw new HarnessError('no agent loop is mounted', 'NO_AGENT_FACTORY');
    return this.#factory;
  }

  setFactory(factory: AgentFactory): () => void {
    if (this.#factory) throw new HarnessError('an agent factory is set already', 'AGENT_FACTORY_EXISTS');
    this.#factory = factory;
    return () => {
      if (this.#factory === factory) this.#factory = undefined;
    };
  }

  /** Returns what takes exactly this entry out again; a later agent of the same id stays. */
  enter(agent: Agent, owner: Context): () => void {
    if (this.#entries.has(agent.id)) throw new HarnessError(`agent ${agent.id} is live already`, 'AGENT_EXISTS');
    const entry = { agent, owner: scopeOf(owner), isAnnounced: false, isAnnouncing: false, isLeaving: false };
    this.#entries.set(agent.id, entry);
    return () => this.#leave(entry);
  }

  /** A listener's synchronous throw is a veto: the agent leaves, and the throw goes on to the caller. */
  announce(agent: Agent): void {
    const entry = this.#entries.get(agent.id);
    if (entry?.agent !== agent || entry.isAnnounced) {
      throw new HarnessError(`agent ${agent.id} cannot be announced`, 'AGENT_NOT_LIVE');
    }
    entry.isAnnounced = true;
    entry.isAnnouncing = true;
    try {
      this.#ctx.emit(scopeTarget({}, agent), 'agent/created', agent);
    } catch (error) {
      entry.isLeaving = true;
      throw error;
    } finally {
      entry.isAnnouncing = false;
      if (entry.isLeaving) this.#leave(entry);
    }
  }

  get(id: SessionId): Agent | undefined {
    return this.#entries.get(id)?.agent;
  }

  list(): Agent[] {
    return Array.from(this.#entries.values(), ({ agent }) => agent);
  }

  roots(): Agent[] {
    return [...this.#entries.values()].filter(({ owner }) => owner === undefined).map(({ agent }) => agent);
  }

  isOwnedBy(id: SessionId, owner: Agent): boolean {
    return this.#entries.get(id)?.owner === owner;
  }

  /** While it is being announced an agent stays, so that every listener hears of its coming before its going. */
  #leave(entry: Entry): void {
    const { agent } = entry;
    if (this.#entries.get(agent.id) !== entry) return;
    entry.isLeaving = true;
    if (entry.isAnnouncing) return;
    this.#entries.delete(agent.id);
    if (entry.isAnnounced) this.#ctx.notify(scopeTarget({}, agent), 'agent/disposed', agent);
  }
}
