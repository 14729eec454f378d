import { SandboxUnavailableError } from '../seams/sandbox/sandbox-unavailable-error.ts';
import type { ConfinedSandboxMode, SandboxExecutionPolicy, SandboxNetwork } from '../seams/sandbox/types.ts';
import type { AgentLease, Sandbox } from './sandbox.ts';

/** A sandbox that may still be starting: who uses it waits for it, and fails with it. */
export interface SandboxHandle {
  mode: ConfinedSandboxMode;
  /** What the sandbox reaches; nothing where it is left out. */
  network?: SandboxNetwork;
  sandbox: Promise<Sandbox>;
}

/** An agent whose container has the policy's mounts: the session's own, or a sibling's. */
export async function agentFor(handle: SandboxHandle, policy: SandboxExecutionPolicy | undefined): Promise<AgentLease> {
  const standing = handle.network ?? 'none';
  if (policy && (policy.network ?? standing) !== standing) throw otherNetworkNeeded(policy, handle);
  const sandbox = await handle.sandbox;
  if (policy && policy.mode !== handle.mode) return sandbox.sibling(policy.mode);
  return { agent: await sandbox.agent(), release: async () => {} };
}

/** The network of a running container cannot change. */
function otherNetworkNeeded(
  policy: SandboxExecutionPolicy,
  { network = 'none' }: SandboxHandle,
): SandboxUnavailableError {
  return new SandboxUnavailableError(
    policy.mode,
    `network ${policy.network}; the containers of this session have network ${network}`,
  );
}
