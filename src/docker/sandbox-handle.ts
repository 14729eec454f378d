import { SandboxUnavailableError } from '../seams/sandbox/sandbox-unavailable-error.ts';
import type { ConfinedSandboxMode, SandboxExecutionPolicy } from '../seams/sandbox/types.ts';
import type { AgentClient } from './agent-client.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox that may still be starting: who uses it waits for it, and fails with it. */
export interface SandboxHandle {
  mode: ConfinedSandboxMode;
  sandbox: Promise<Sandbox>;
}

/** The agent of the container that has the policy's mounts. There is one, with the session's standing mode. */
export async function agentFor(
  handle: SandboxHandle,
  policy: SandboxExecutionPolicy | undefined,
): Promise<AgentClient> {
  if (policy && (policy.mode !== handle.mode || (policy.network ?? 'none') !== 'none')) {
    throw otherContainerNeeded(policy, handle);
  }
  return (await handle.sandbox).agent();
}

/** The mounts and the network of a running container cannot change. */
export function otherContainerNeeded(
  { mode, network = 'none' }: SandboxExecutionPolicy,
  { mode: standing }: SandboxHandle,
): SandboxUnavailableError {
  return new SandboxUnavailableError(
    mode,
    `network ${network}; the container of this session is ${standing}, network none`,
  );
}
