import { setTimeout as sleep } from 'node:timers/promises';
import { DshError } from '../../errors.ts';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const TOO_MANY = 429;

/**
 * Sends a request that may be carried out twice, and tries again what failed for a moment. `what` names it for people: an
 * address is never shown, since those of artifacts are secrets. Throws `ARTIFACTS_UNREACHABLE` and `ARTIFACTS_REFUSED`; the
 * latter has the `status`.
 */
export async function sendPatiently(
  what: string,
  target: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  const { host } = new URL(target);
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(target, { ...init, signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      if (attempt === ATTEMPTS) throw unreachable(host, cause);
    });
    if (response?.ok) return response;
    if (response && (!mayPass(response.status) || attempt === ATTEMPTS)) throw await refused(host, what, response);
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
  }
}

function mayPass(status: number): boolean {
  return status >= 500 || status === TOO_MANY;
}

const HINT = 'Run the workflow again; githubstatus.com tells of outages.';

function unreachable(host: string, cause: unknown): DshError {
  return new DshError(`${host} could not be reached.`, 'ARTIFACTS_UNREACHABLE', HINT, { cause });
}

async function refused(host: string, what: string, response: Response): Promise<DshError> {
  const said = (await response.text().catch(() => '')).trim().slice(0, 200);
  const message = `${host} answered ${response.status} to ${what}${said ? `: ${said}` : '.'}`;
  return Object.assign(new DshError(message, 'ARTIFACTS_REFUSED', HINT), { status: response.status });
}
