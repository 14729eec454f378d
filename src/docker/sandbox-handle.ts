import { isWiderNetwork } from '../seams/sandbox/approve-network.ts';
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

/** An agent whose container has the policy's mounts and network: the session's own, or a sibling's. */
export async function agentFor(handle: SandboxHandle, policy: SandboxExecutionPolicy | undefined): Promise<AgentLease> {
  const { mode, network: standing = 'none' } = handle;
  const network = openedFor(policy, standing);
  const sandbox = await handle.sandbox;
  if (policy && network) return sandbox.sibling({ mode: policy.mode, network });
  if (policy && policy.mode !== mode) return sandbox.sibling({ mode: policy.mode });
  return { agent: await sandbox.agent(), release: async () => {} };
}

/** What a call reaches beyond its session, if anything. A narrower network than the session's is nothing anybody asks for. */
function openedFor(
  policy: SandboxExecutionPolicy | undefined,
  standing: SandboxNetwork,
): Exclude<SandboxNetwork, 'none'> | undefined {
  const network = policy?.network ?? standing;
  if (!policy || network === standing) return undefined;
  if (network !== 'none' && isWiderNetwork(network, standing)) return network;
  throw new SandboxUnavailableError(policy.mode, `network ${network}; this session has network ${standing}`);
}
