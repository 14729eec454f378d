import type { SessionId } from '../../harness/session/types.ts';
import type { Prepare } from './sqlite-database.ts';

const CURRENT_EPOCH = `
select max(epoch) as epoch from (
  select lease_epoch as epoch from sessions where id = ?1
  union all select epoch from leases where session_id = ?1
)`;
const END = 'update leases set epoch = ?, owner = null where session_id = ?';

/** Epoch of the last lease taken on a session; 0 if there was none. */
export function currentEpoch(prepare: Prepare, id: SessionId): number {
  return (prepare(CURRENT_EPOCH).get(id) as { epoch: number | null }).epoch ?? 0;
}

/** Nobody holds the session any more when the transaction ends, and who did writes nothing after it. */
export function endLease(prepare: Prepare, id: SessionId): void {
  prepare(END).run(currentEpoch(prepare, id) + 1, id);
}
