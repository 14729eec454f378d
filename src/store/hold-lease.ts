import type { SessionId } from '../harness/session/types.ts';
import type { Lease, SessionLeases } from './lease.ts';

export interface LeaseTerms {
  readonly leases: SessionLeases;
  /** Who holds it, for people who look. */
  readonly owner: string;
  /** How long a lease outlives its holder, in milliseconds. */
  readonly ttlMs: number;
}

/** A lease with its heartbeat. Whoever holds it stops at once when it is lost, and writes nothing more. */
export interface HeldLease {
  readonly epoch: number;
  /** Aborted with `{ kind: 'disposed' }`. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Undefined while somebody else holds it. */
export async function holdLease(session: SessionId, terms: LeaseTerms): Promise<HeldLease | undefined> {
  const askedAt = performance.now();
  const lease = await terms.leases.acquire(session, terms.owner, terms.ttlMs);
  return lease && keepAlive(lease, terms, askedAt + terms.ttlMs);
}

/** A store that does not answer may be answering others: when the time is over, the lease counts as lost. */
function keepAlive(lease: Lease, { leases, ttlMs }: LeaseTerms, validUntil: number): HeldLease {
  const lost = new AbortController();
  let beating = false;
  const end = () => {
    clearInterval(timer);
    lost.abort({ kind: 'disposed' });
  };
  const beat = async () => {
    const at = performance.now();
    beating = true;
    const isOurs = await leases.heartbeat(lease, ttlMs).catch(() => undefined);
    beating = false;
    if (isOurs) validUntil = at + ttlMs;
    else if (isOurs === false) end();
  };
  const timer = setInterval(() => {
    if (performance.now() >= validUntil) end();
    else if (!beating) void beat();
  }, ttlMs / 4);
  return {
    epoch: lease.epoch,
    lost: lost.signal,
    release: async () => {
      clearInterval(timer);
      await leases.release(lease);
    },
  };
}
