import { LlmError } from '../harness/llm/errors.ts';
import { isContextWindowExceededError, isQuotaExceededError } from '../harness/llm/provider-wording.ts';
import { ProviderRequestId } from '../harness/llm/types.ts';

export interface HttpFailure {
  status: number;
  headers: Headers;
  /** What the server said, code included, with secrets already taken out. */
  text: string;
}

/** The failure of a request the server refused. Carries no `cause`: a body may echo the request's headers. */
export function httpFailure({ status, headers, text }: HttpFailure, now: Date): LlmError {
  const retryAfterMs = readRetryAfter(headers, now);
  const requestId = headers.get('x-request-id') || headers.get('x-deepseek-request-id');
  return new LlmError(`the model server answered ${status}: ${text.slice(0, 1000)}`, codeOf(status, text), {
    ...(status >= 100 && status <= 599 && { status }),
    ...(retryAfterMs !== undefined && { providerRetryAfterMs: retryAfterMs }),
    ...(requestId && { requestId: ProviderRequestId(requestId) }),
  });
}

/** The failure of a reply that had begun: an `error` object in place of a piece. */
export function inStreamFailure(error: unknown, redact: (text: string) => string): LlmError {
  const text = redact(typeof error === 'string' ? error : JSON.stringify(error));
  const { code, status } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const reported = [code, status].map(Number).find((value) => value >= 400 && value <= 599);
  return new LlmError(
    `the model server broke off with an error: ${text.slice(0, 1000)}`,
    codeOf(reported ?? 500, text),
  );
}

function codeOf(status: number, text: string): string {
  if (status === 401 || status === 403) return 'AUTH';
  if (status === 402 || isQuotaExceededError(text)) return 'QUOTA';
  if (status === 429) return 'RATE_LIMIT';
  if (status === 400) return isContextWindowExceededError(text) ? 'CONTEXT_WINDOW_EXCEEDED' : 'INVALID_REQUEST';
  return status >= 500 ? 'SERVER' : `HTTP_${status}`;
}

/** Seconds or a date, in milliseconds from now; only when positive. */
function readRetryAfter(headers: Headers, now: Date): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const delayMs = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isFinite(delayMs) && delayMs > 0 ? delayMs : undefined;
}
