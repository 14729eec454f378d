import type { JobKind } from '../../triggers/reading.ts';
import type { Profile } from './profile.ts';

export interface EscalationFacts {
  readonly kind: JobKind;
  readonly profile: Profile;
  /** What the approval service does with a question before anybody sees it. */
  readonly approvalPolicy: 'ask' | 'never';
}

/**
 * Whether a job's tools can ask for a wider sandbox. In the untrusted profile, and where
 * nobody would be asked, the model is not even shown the fields (X4). A review is read-only and without network whoever wrote
 * the pull request, and must not wait for anybody.
 */
export function offersEscalation({ kind, profile, approvalPolicy }: EscalationFacts): boolean {
  return profile === 'trusted' && approvalPolicy !== 'never' && kind !== 'review';
}
