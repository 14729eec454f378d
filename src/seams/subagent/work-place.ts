import type { Agent, AgentHandle, CreateAgentOptions } from '../../harness/agent/types.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { SubagentPatch } from './types.ts';

/** Where a child works: on the tree and with the services of its parent, or on ones of its own. */
export interface WorkPlace {
  create(options: CreateAgentOptions): Promise<AgentHandle>;
  /** What the child, which rests, has changed in a tree of its own. */
  collect(): Promise<SubagentPatch | undefined>;
  /** After the agent is gone. Once, on every path. */
  close(): Promise<void>;
}

/**
 * Makes the tree and the services of one child, with what its parent's tree holds at this moment. A rejection, as after an
 * abort, leaves nothing behind.
 */
export type OpenWorkPlace = (parent: Agent, child: SessionId, signal: AbortSignal) => Promise<WorkPlace>;

/** The parent's own. */
export function sharedPlace(parent: Agent): WorkPlace {
  return {
    create: (options) => parent.ctx.agents.create(options),
    collect: async () => undefined,
    close: async () => {},
  };
}
