import { setTimeout as sleep } from 'node:timers/promises';
import { DshError } from '../errors.ts';
import type { SessionId } from '../harness/session/types.ts';
import { holdLease } from '../store/hold-lease.ts';
import type { HeldLease, LeaseTerms } from '../store/hold-lease.ts';
import type { EpochOf, Lease } from '../store/lease.ts';

const LOOK_MS = 200;
/** Beyond the time a dead holder's lease takes to run out. */
const PATIENCE_MS = 30_000;

/** Which sessions this process may write: each under a lease for as long as it works on it (persistence.md B1). */
export class SessionWriters {
  readonly #terms: LeaseTerms;
  readonly #held = new Map<SessionId, HeldLease>();

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
  }

  readonly epochOf: EpochOf = (session) => this.#held.get(session)?.lease.epoch ?? 0;

  /**
   * Runs `work` under the session's lease; the signal it gets is aborted with `{ kind: 'disposed' }` when the lease is lost.
   * Throws `SESSION_BUSY` where another process keeps it.
   */
  async hold<T>(
    session: SessionId,
    signal: AbortSignal,
    work: (signal: AbortSignal, lease: Lease, isOurs: () => boolean) => Promise<T>,
  ): Promise<T> {
    const lease = await this.#take(session, signal);
    this.#held.set(session, lease);
    try {
      return await work(AbortSignal.any([signal, lease.lost]), lease.lease, lease.isOurs);
    } finally {
      this.#held.delete(session);
      // One that cannot be given back runs out by itself.
      await lease.release().catch(() => {});
    }
  }

  async #take(session: SessionId, signal: AbortSignal): Promise<HeldLease> {
    const until = performance.now() + this.#terms.ttlMs + PATIENCE_MS;
    for (;;) {
      const lease = await holdLease(session, this.#terms);
      if (lease) return lease;
      if (performance.now() > until) throw busy(session);
      await sleep(LOOK_MS, undefined, { signal });
    }
  }
}

function busy(session: SessionId): DshError {
  const hint = 'Wait until it has ended, or stop it with `/dsh stop`, then ask again.';
  return new DshError(`Another process is working on session ${session}.`, 'SESSION_BUSY', hint);
}
