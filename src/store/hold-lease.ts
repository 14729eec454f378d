import type { SessionId } from '../harness/session/types.ts';
import type { Lease, SessionLeases } from './lease.ts';

export interface LeaseTerms {
  readonly leases: SessionLeases;
  /** Who holds it, for people who look. */
  readonly owner: string;
  /** How long a lease outlives its holder, in milliseconds. */
  readonly ttlMs: number;
  /** Whether a holder is known to be gone for good: nobody waits for its leases to run out. */
  readonly isGone?: (owner: string) => boolean;
}

/** A lease with its heartbeat. Whoever holds it stops at once when it is lost, and writes nothing more. */
export interface HeldLease {
  readonly lease: Lease;
  /** Aborted with `{ kind: 'disposed' }`. */
  readonly lost: AbortSignal;
  /** By the clock of this process, and at this moment: also right after it stood still, before any timer could tell. */
  isOurs(): boolean;
  release(): Promise<void>;
}

/** Undefined while somebody else holds it. */
export async function holdLease(session: SessionId, terms: LeaseTerms): Promise<HeldLease | undefined> {
  const askedAt = performance.now();
  const { leases, owner, ttlMs } = terms;
  const lease = (await leases.acquire(session, owner, ttlMs)) ?? (await takeFromGone(session, terms));
  return lease && keepAlive(lease, terms, askedAt + ttlMs);
}

async function takeFromGone(
  session: SessionId,
  { leases, owner, ttlMs, isGone }: LeaseTerms,
): Promise<Lease | undefined> {
  const holder = isGone && (await leases.held()).get(session);
  if (!holder || !isGone(holder.owner)) return undefined;
  await leases.release({ session, epoch: holder.epoch });
  return leases.acquire(session, owner, ttlMs);
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
    lease,
    lost: lost.signal,
    isOurs: () => {
      if (performance.now() >= validUntil) end();
      return !lost.signal.aborted;
    },
    release: async () => {
      clearInterval(timer);
      await leases.release(lease);
    },
  };
}
