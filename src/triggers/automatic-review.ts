import type { Config } from '../config/config.ts';
import { atLeast } from './rights.ts';
import type { PermissionFact } from './rights.ts';
import type { Reading } from './reading.ts';

export type PullReading = Extract<Reading, { kind: 'pull-request' }>;

/** Automatic reviews a day for an author who may not write (X12). */
const A_DAY_FOR_OUTSIDERS = 3;

export interface AutomaticFacts {
  /** The pull request's head now; the event may be of an older one. */
  readonly currentHead: string;
  /** Heads that we reviewed. */
  readonly reviewedHeads: readonly string[];
  readonly authorPermission: PermissionFact;
  /** Automatic reviews of this author's pull requests since the day began (UTC). */
  readonly today: number;
}

export type NoReview = 'superseded' | 'already-reviewed' | 'daily-limit';

/**
 * Why an event starts no automatic review (R6, R12, R13, X12); undefined where it does. A review that a person asked us
 * for by name is nobody's quota, and is made again. Pure.
 */
export function whyNotReviewed(
  { headSha, action }: Pick<PullReading, 'headSha' | 'action'>,
  { currentHead, reviewedHeads, authorPermission, today }: AutomaticFacts,
): NoReview | undefined {
  if (currentHead !== headSha) return 'superseded';
  if (action === 'review_requested') return undefined;
  if (reviewedHeads.includes(headSha)) return 'already-reviewed';
  return !atLeast(authorPermission, 'write') && today >= A_DAY_FOR_OUTSIDERS ? 'daily-limit' : undefined;
}

/** When a push is to be reviewed, in epoch milliseconds: once the time has passed in which another may follow (R13). Undefined for what does not wait. Pure. */
export function reviewDueAt(reading: Reading, { debounceMs }: Config['review'], now: number): number | undefined {
  if (reading.kind !== 'pull-request' || reading.action !== 'synchronize' || debounceMs === 0) return undefined;
  return now + debounceMs;
}
