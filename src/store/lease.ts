import type { SessionId } from '../harness/session/types.ts';

/** The right to write a session. Each new holder gets a higher epoch, and storage refuses writes of a lower one. */
export interface Lease {
  readonly session: SessionId;
  readonly epoch: number;
}

export interface Holder {
  readonly owner: string;
  readonly epoch: number;
}

/** Who may write which session, among all processes that share a store. A dead holder's right runs out by itself. */
export interface SessionLeases {
  /**
   * Undefined while another holder's lease has not run out. `owner` says who holds it, for people who look. `ttlMs` is an hour
   * at most: one that would run out later was taken before the clock was set back, and counts for nothing.
   */
  acquire(session: SessionId, owner: string, ttlMs: number): Promise<Lease | undefined>;
  /** Gives the lease another `ttlMs` from now. False when it is lost: stop, and write nothing more. */
  heartbeat(lease: Lease, ttlMs: number): Promise<boolean>;
  /** What is held at the moment, and by whom. */
  held(): Promise<ReadonlyMap<SessionId, Holder>>;
  /** Gives the lease up, if it is still held. */
  release(lease: Lease): Promise<void>;
  /** Forgets leases that nobody has held for so long, in milliseconds. Returns how many. */
  prune(ageMs: number): Promise<number>;
}

export const LONGEST_LEASE_MS = 3_600_000;

/** The epoch under which this process writes a session; 0 where nobody ever took a lease on it. */
export type EpochOf = (session: SessionId) => number;
