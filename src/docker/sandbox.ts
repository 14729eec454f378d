import type { ConfinedSandboxMode } from '../seams/sandbox/types.ts';
import type { AgentClient } from './agent-client.ts';

/** The confined world of one session: commands and file operations go through its agent. */
export interface Sandbox {
  readonly mode: ConfinedSandboxMode;
  /** The user that everything inside runs as. */
  readonly uid: number;
  /** The living agent. After a loss the work tree is as it was and a new container is made, at most twice. */
  agent(): Promise<AgentClient>;
  /** Removes the container; calls in flight fail. A second close waits for the first. */
  close(): Promise<void>;
}
