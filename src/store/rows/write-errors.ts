import type { Lease } from '../lease.ts';
import { PersistenceError } from '../persistence-error.ts';

/** Throws `STALE_LEASE` where another holder came since, also where the lease was forgotten in the meantime. */
export function assertHeld({ session, epoch }: Lease, current: number): void {
  if (epoch !== current) throw staleLease(session, epoch, current);
}

export function staleLease(id: string, ours: number, current: number): PersistenceError {
  const message = `the lease of session ${id} is at epoch ${current}; epoch ${ours} may not write it any more`;
  return new PersistenceError(message, 'STALE_LEASE');
}

export function storedAlready(id: string): PersistenceError {
  return new PersistenceError(`another process has stored session ${id}`, 'SESSION_ID_TAKEN');
}

export function notNext(id: string, seq: number, last: number | null): PersistenceError {
  const message = `event ${seq} does not follow event ${last ?? 'none'} of session ${id}: another process wrote it`;
  return new PersistenceError(message, 'SEQ_MISMATCH');
}
