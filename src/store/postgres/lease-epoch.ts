import type { SessionId } from '../../harness/session/types.ts';
import type { Query } from './postgres-database.ts';

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const CURRENT_EPOCH = `
select max(epoch) as epoch from (
  select lease_epoch as epoch from dsh.sessions where id = $1
  union all select epoch from dsh.leases where session_id = $1
) epochs`;
const END = 'update dsh.leases set epoch = $1, owner = null where session_id = $2';

/**
 * Epoch of the last lease taken on a session; 0 if there was none. Until the transaction ends nobody else can take one
 * or write the session.
 */
export async function lockEpoch(query: Query, id: SessionId): Promise<number> {
  await query(LOCK, [id]);
  const [row] = await query<{ epoch: string | null }>(CURRENT_EPOCH, [id]);
  return Number(row?.epoch ?? 0);
}

/** Nobody holds the session any more when the transaction ends, and who did writes nothing after it. */
export async function endLease(query: Query, id: SessionId): Promise<void> {
  await query(END, [(await lockEpoch(query, id)) + 1, id]);
}
