import type { Context } from '../../harness/kernel/context.ts';
import { isWiderNetwork } from '../sandbox/approve-network.ts';
import type { SandboxNetwork } from '../sandbox/types.ts';

/** `network` is what the session's calls reach, `networkBound` the widest a person may open for one call. */
export interface BashToolConfig {
  enableRunInBackground?: boolean;
  /** Whether a wider sandbox may be asked for; never in an untrusted profile. */
  escalation?: boolean;
  treeIsReadOnly?: boolean;
  network?: SandboxNetwork;
  networkBound?: SandboxNetwork;
  maxOutputBytes?: number;
}

/** A configuration completed with the facts of the mounted executor. */
export interface BashSetup {
  background: boolean;
  escalation: boolean;
  treeIsReadOnly: boolean;
  network: SandboxNetwork;
  networkBound: SandboxNetwork;
  maxOutputBytes: number;
  timeoutMs: number;
  maxTimeoutMs: number;
}

export function bashSetup({ bash }: Context, config: BashToolConfig): BashSetup {
  const network = config.network ?? 'none';
  const escalation = (config.escalation ?? true) && bash.sandboxMode !== undefined;
  return {
    background: config.enableRunInBackground ?? true,
    escalation,
    treeIsReadOnly: config.treeIsReadOnly ?? bash.sandboxMode === 'read-only',
    network,
    networkBound: escalation ? (config.networkBound ?? network) : network,
    maxOutputBytes: config.maxOutputBytes ?? 16 * 1024,
    timeoutMs: bash.resolve({ command: ':' }).timeoutMs,
    maxTimeoutMs: bash.resolve({ command: ':', timeoutMs: Number.MAX_SAFE_INTEGER }).timeoutMs,
  };
}

export function offersNetwork({ network, networkBound }: BashSetup): boolean {
  return isWiderNetwork(networkBound, network);
}
