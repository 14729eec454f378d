import type { Agent } from '../agent/types.ts';
import type { CallId } from '../llm/types.ts';
import type { ToolExecution } from './types.ts';

/** What the pipeline needs of an approval service. */
export interface CallApproval {
  request(request: {
    agent: Agent;
    toolName: string;
    callId: CallId;
    reason?: string;
    signal: AbortSignal;
  }): Promise<'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'>;
}

const DENIALS = {
  rejected: 'a person refused this call — do not repeat it; go on without it',
  cancelled: 'the question whether this call may run was withdrawn unanswered — go on without it',
  unavailable: 'nobody could be asked whether this call may run — go on without it',
};

/** Why the call may not run, or `undefined` after a grant. Without anyone to ask, the answer is no. */
export async function askApproval(
  approval: CallApproval | undefined,
  exec: Readonly<ToolExecution>,
  reason: string | undefined,
): Promise<string | undefined> {
  const { agent, name, callId, signal } = exec;
  if (!approval) return 'this call needs an approval, and no approval service is set up — go on without it';
  if (!agent) return 'this call needs an approval, and it belongs to no agent — go on without it';
  const request = { agent, toolName: name, callId, signal, ...(reason !== undefined && { reason }) };
  const outcome = await approval.request(request);
  return outcome === 'allowed-once' ? undefined : (DENIALS[outcome] ?? DENIALS.unavailable);
}
