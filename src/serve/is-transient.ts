import { isHandedBack } from '../bot/job/handed-back.ts';
import { statusOf } from '../github/request-hook.ts';

const CODES = new RegExp(
  `^(${[
    'ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR_',
    // Disks that are full, over their quota, broken or read-only, and processes with too many open files.
    'ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE',
    // PostgreSQL: connections, out of room, ended from outside or by a time limit, I/O, read-only after a failover, deadlocks.
    '08|53|57|58|25006|40001|40P01|55P03',
    'STALE_LEASE|SESSION_BUSY|DATABASE_UNAVAILABLE|ERR_SQLITE',
  ].join('|')})`,
);
const MESSAGES = /connection terminated|timeout exceeded when trying to connect|not queryable/i;

/** Whether the same may succeed by itself a little later: nothing that came in is given up for it. */
export function isTransient(error: unknown): boolean {
  if (isHandedBack(error)) return true;
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || status === 429;
  for (let at = error; at !== undefined && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, message } = at as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && CODES.test(code)) return true;
    if (typeof message === 'string' && MESSAGES.test(message)) return true;
  }
  return false;
}
