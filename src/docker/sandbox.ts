import type { ConfinedSandboxMode, SandboxMode } from '../seams/sandbox/types.ts';
import type { AgentClient } from './agent-client.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';

/** An agent for one call. Who has it releases it when the call has ended, and only then tells of its end. */
export interface AgentLease {
  readonly agent: AgentClient;
  /** Rejects with `SANDBOX_UNAVAILABLE` where the tree could not be given back after full access. */
  release(): Promise<void>;
}

/** In what a call's container departs from its session's. Without `network` it has the session's own. */
export interface SiblingFlags {
  readonly mode: SandboxMode;
  readonly network?: EgressPolicy['network'];
}

/** The confined world of one session: commands and file operations go through its agent. */
export interface Sandbox {
  readonly mode: ConfinedSandboxMode;
  /** The user that everything inside runs as. */
  readonly uid: number;
  /** The living agent. After a loss the work tree is as it was and a new container is made, at most twice. */
  agent(): Promise<AgentClient>;
  /** The agent of a container with other flags: same image, tree and `/tmp`, made when it is needed. */
  sibling(wanted: SiblingFlags): Promise<AgentLease>;
  /** Resolves with the reason once no call can be run any more, though nobody closed it. */
  readonly gone: Promise<Error>;
  /** Removes the containers; calls in flight fail. A second close waits for the first. */
  close(): Promise<void>;
}
