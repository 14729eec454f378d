import type { Clock } from './clock.ts';
import { readRateLimit } from './rate-limit.ts';
import { signalOf, statusOf, type RequestLayer, type RequestOptions } from './request-hook.ts';
import type { RequestPacer } from './request-pacer.ts';

const MAX_SERVER_RETRIES = 3;
const MAX_LIMIT_RETRIES = 4;
const FIRST_DELAY_MS = 500;

/**
 * Repeats what GitHub refused for a limit (it was not carried out), and what failed with 5xx or a dropped
 * connection when doing it twice does no harm. A POST of unknown outcome is left to its caller, who looks first.
 */
export function retryRequests(pacer: RequestPacer, clock: Clock): RequestLayer {
  return async (send, options) => {
    for (let serverFailures = 0, limits = 0; ;) {
      try {
        return await send(options);
      } catch (error) {
        const nowMs = clock.now().getTime();
        const limit = readRateLimit(error, nowMs);
        if (limit && limits++ < MAX_LIMIT_RETRIES) {
          if (limit.kind === 'secondary') pacer.holdUntil(nowMs + limit.waitMs);
          await clock.sleep(limit.waitMs, signalOf(options));
        } else if (!limit && isServerFailure(error) && mayRepeat(options) && serverFailures < MAX_SERVER_RETRIES) {
          await clock.sleep(FIRST_DELAY_MS * 2 ** serverFailures++, signalOf(options));
        } else throw error;
      }
    }
  };
}

/** Octokit reports a dropped connection as a 500 without an answer. */
function isServerFailure(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 500 && (error as { name?: string }).name !== 'AbortError';
}

/** `request: { repeatable: true }` marks a POST whose bytes can only make the same object again. */
function mayRepeat({ method, request }: RequestOptions): boolean {
  return method !== 'POST' || (request as { repeatable?: boolean }).repeatable === true;
}
