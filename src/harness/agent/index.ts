/** Agents: the handle, the loop, the events that shape a turn. `AgentOptions` and `SendOptions` are open. */
export * from './types.ts';
export * from './events.ts';
export * from './agent-events.ts';
export * from './registry.ts';
export * from './agent-loop.ts';
export * from './llm-target.ts';
export * from './parked.ts';
