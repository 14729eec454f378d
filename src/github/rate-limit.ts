export interface RateLimit {
  /** A secondary limit concerns the whole account, a primary one the resource the request asked for. */
  kind: 'primary' | 'secondary';
  waitMs: number;
}

interface LimitAnswer {
  status?: unknown;
  message?: unknown;
  response?: { headers?: Record<string, string | number | undefined> };
}

const DEFAULT_WAIT_MS = 60_000;

/**
 * How long GitHub asks to wait, read from a failed request; undefined when the failure is something else. A 403 is
 * also GitHub's plain "no", so it counts only with a header or a text that speaks of a limit.
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
 */
export function readRateLimit(error: unknown, nowMs: number): RateLimit | undefined {
  const { status, message, response } = error as LimitAnswer;
  if (status !== 403 && status !== 429) return undefined;
  const headers = response?.headers ?? {};
  const exhausted = String(headers['x-ratelimit-remaining']) === '0';
  const retryAfter = Number(headers['retry-after']);

  if (retryAfter > 0) return { kind: exhausted ? 'primary' : 'secondary', waitMs: retryAfter * 1000 };
  // A second more: a request at the very moment of the reset may still meet the old window.
  if (exhausted)
    return { kind: 'primary', waitMs: Math.max(Number(headers['x-ratelimit-reset']) * 1000 - nowMs, 0) + 1000 };
  if (status === 429 || /secondary rate|abuse detection/i.test(String(message))) {
    return { kind: 'secondary', waitMs: DEFAULT_WAIT_MS };
  }
  return undefined;
}
