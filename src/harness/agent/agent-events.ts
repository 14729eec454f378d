import type { Context, EventArgs, EventName, EventResult } from '../kernel/context.ts';
import { scopeTarget } from '../scope/scope.ts';
import type { AssembleContext } from '../system-prompt/types.ts';
import type { Agent } from './types.ts';
import './events.ts';

export type AgentEventName = Extract<EventName, `agent/${string}`>;
type ArgsAfterAgent<K extends AgentEventName> = EventArgs<K> extends [unknown, ...infer Rest] ? Rest : never;
type WaterfallArgsAfterAgent<K extends AgentEventName> =
  ArgsAfterAgent<K> extends [...infer Head, unknown] ? [...Head, innermost: () => EventResult<K>] : never;

/** Dispatches about one agent: the carrier and the first argument cannot be forgotten. */
export interface AgentEvents {
  /** A listener that throws or rejects stops no other. */
  emit<K extends AgentEventName>(name: K, ...args: ArgsAfterAgent<K>): void;
  serial<K extends AgentEventName>(name: K, ...args: ArgsAfterAgent<K>): Promise<Awaited<EventResult<K>> | undefined>;
  /** A listener's synchronous throw is a rejection, too. */
  waterfall<K extends AgentEventName>(name: K, ...args: WaterfallArgsAfterAgent<K>): Promise<Awaited<EventResult<K>>>;
}

export function agentEvents(ctx: Context, agent: Agent): AgentEvents {
  const carrier = scopeTarget({}, agent);
  const dispatch = ctx as unknown as UntypedDispatch;
  return {
    emit: (name, ...args) => dispatch.notify(carrier, name, agent, ...args),
    serial: async (name, ...args) => (await dispatch.serial(carrier, name, agent, ...args)) as never,
    waterfall: async (name, ...args) => (await dispatch.waterfall(carrier, name, agent, ...args)) as never,
  };
}

/** The kernel checks arguments per event name, which a generic forwarder cannot satisfy. */
interface UntypedDispatch {
  notify(...input: unknown[]): void;
  serial(...input: unknown[]): Promise<unknown>;
  waterfall(...input: unknown[]): unknown;
}

/** What a prompt is assembled for: the agent and its scope always together. */
export function assembleContextFor(agent: Agent, signal?: AbortSignal): AssembleContext {
  return { agent, scope: agent, ...(signal && { signal }) };
}
