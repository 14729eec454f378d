import { isHandedBack } from '../bot/job/handed-back.ts';
import { statusOf } from '../github/request-hook.ts';

/** Connections that break, and databases that are away, restarting or out of room. */
const CODES =
  /^(ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOSPC|UND_ERR_|08|53|57P|40001|40P01|STALE_LEASE|SESSION_BUSY|DATABASE_UNAVAILABLE|ERR_SQLITE)/;
const MESSAGES = /connection terminated|timeout exceeded when trying to connect/i;

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
