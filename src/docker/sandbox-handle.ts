import { SandboxUnavailableError } from '../seams/sandbox/sandbox-unavailable-error.ts';
import type { ConfinedSandboxMode, SandboxExecutionPolicy, SandboxNetwork } from '../seams/sandbox/types.ts';
import type { AgentClient } from './agent-client.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox that may still be starting: who uses it waits for it, and fails with it. */
export interface SandboxHandle {
  mode: ConfinedSandboxMode;
  /** What the sandbox reaches; nothing where it is left out. */
  network?: SandboxNetwork;
  sandbox: Promise<Sandbox>;
}

/** The agent of the container that has the policy's mounts. There is one, with the session's standing mode. */
export async function agentFor(
  handle: SandboxHandle,
  policy: SandboxExecutionPolicy | undefined,
): Promise<AgentClient> {
  const standing = handle.network ?? 'none';
  if (policy && (policy.mode !== handle.mode || (policy.network ?? standing) !== standing)) {
    throw otherContainerNeeded(policy, handle);
  }
  return (await handle.sandbox).agent();
}

/** The mounts and the network of a running container cannot change. */
export function otherContainerNeeded(
  policy: SandboxExecutionPolicy,
  { mode, network = 'none' }: SandboxHandle,
): SandboxUnavailableError {
  return new SandboxUnavailableError(
    policy.mode,
    `network ${policy.network ?? network}; the container of this session is ${mode}, network ${network}`,
  );
}
