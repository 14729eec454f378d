import { HarnessError } from '../../harness/llm/errors.ts';
import { lastOfType } from '../../harness/session/last-of-type.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { APPROVAL_POLICIES } from './types.ts';
import type { ApprovalPolicy } from './types.ts';

/** The policy a session was last set to; `undefined` while the deployment's default holds. */
export function effectiveApprovalPolicy(events: readonly SessionEvent[]): ApprovalPolicy | undefined {
  return lastOfType(events, 'approval/policy')?.data.policy;
}

/**
 * The only way to change a session's policy; it counts from the next question on.
 * @throws HarnessError `APPROVAL_POLICY_INVALID` for a value outside the vocabulary; the log is then unchanged
 */
export function setApprovalPolicy(session: Session, policy: ApprovalPolicy): void {
  session.append('approval/policy', { policy: assertApprovalPolicy(policy) });
}

export function assertApprovalPolicy(value: unknown): ApprovalPolicy {
  const known = APPROVAL_POLICIES.find((policy) => policy === value);
  if (known) return known;
  throw new HarnessError(
    `"${String(value)}" is not an approval policy; the policies are ${APPROVAL_POLICIES.join(', ')}`,
    'APPROVAL_POLICY_INVALID',
  );
}
