import { HarnessError } from '../../harness/llm/errors.ts';
import { askApproval } from './escalation.ts';
import type { EscalationApproval } from './escalation.ts';
import { SANDBOX_NETWORKS } from './types.ts';
import type { SandboxNetwork } from './types.ts';

export interface NetworkRequest {
  requested: SandboxNetwork;
  justification: string;
  /** What the session's calls may reach without asking. */
  effective: SandboxNetwork;
  /** The widest value the operator lets anybody approve. */
  bound: SandboxNetwork;
}

/**
 * Asks to open the network for one call. What the session has anyway needs nobody.
 * @throws HarnessError `SANDBOX_ESCALATION_…` as for a wider mode
 */
export async function approveNetwork<A, C>(
  request: NetworkRequest,
  approval: EscalationApproval<A, C>,
): Promise<SandboxNetwork> {
  const { requested, justification, effective, bound } = request;
  if (!isWiderNetwork(requested, effective)) return effective;
  if (isWiderNetwork(requested, bound)) {
    throw new HarnessError(
      `Network "${requested}" is beyond what the operator allows (${bound}); this is policy, and repeating will not help — do what is possible without it`,
      'SANDBOX_ESCALATION_BOUND',
    );
  }
  await askApproval(approval, `open network ${requested}: ${justification}`, `network "${requested}" for this command`);
  return requested;
}

export function isWiderNetwork(a: SandboxNetwork, b: SandboxNetwork): boolean {
  return SANDBOX_NETWORKS.indexOf(a) > SANDBOX_NETWORKS.indexOf(b);
}
