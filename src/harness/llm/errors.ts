import type { LlmFailure, ProviderRequestId } from './types.ts';

/** Base of every coded error. `code` is what callers route on; the text is for whoever has to mend it. */
export class HarnessError extends Error {
  readonly code: string;

  constructor(message: string, code: string, options: { cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'HarnessError';
    this.code = code;
  }
}

export interface LlmErrorOptions {
  cause?: unknown;
  /** HTTP status, 100 to 599. */
  status?: number;
  /** How long the provider asks us to wait, in milliseconds. */
  providerRetryAfterMs?: number;
  requestId?: ProviderRequestId;
}

/** A failed model call. `failure` holds the same facts as plain, frozen JSON. Throws `TypeError` on bad input. */
export class LlmError extends HarnessError {
  readonly failure: LlmFailure;

  constructor(message: string, code: string, options: LlmErrorOptions = {}) {
    super(message, code, options);
    this.name = 'LlmError';
    this.failure = failureFacts(message, code, options);
  }
}

function failureFacts(message: string, code: string, options: LlmErrorOptions): LlmFailure {
  const { status, providerRetryAfterMs, requestId } = options;
  const failure: LlmFailure = {
    message,
    code,
    ...(status !== undefined && { status }),
    ...(providerRetryAfterMs !== undefined && { providerRetryAfterMs }),
    ...(requestId !== undefined && { requestId }),
  };
  if (!isLlmFailure(failure)) throw new TypeError(`not a valid model failure: ${JSON.stringify(failure)}`);
  return Object.freeze(failure);
}

/** Whether a value has the shape and the ranges of a failure, whoever made it. */
export function isLlmFailure(value: unknown): value is LlmFailure {
  if (typeof value !== 'object' || value === null) return false;
  const { message, code, status, providerRetryAfterMs, requestId } = value as Record<string, unknown>;
  return (
    isFilledString(message) &&
    isFilledString(code) &&
    (status === undefined || (Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599)) &&
    (providerRetryAfterMs === undefined ||
      (Number.isFinite(providerRetryAfterMs) && (providerRetryAfterMs as number) > 0)) &&
    (requestId === undefined || isFilledString(requestId))
  );
}

function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** By shape and not by class: two copies of this package may be loaded. */
export function isHarnessError(value: unknown): value is HarnessError {
  return Error.isError(value) && typeof (value as { code?: unknown }).code === 'string';
}

/** The messages of an error and all its causes on one line, outermost first. */
export function errorChain(value: unknown): string {
  const messages: string[] = [];
  const seen = new Set<unknown>();
  for (let at = value; at !== undefined && at !== null && !seen.has(at); at = causeOf(at)) {
    seen.add(at);
    messages.push(messageOf(at));
  }
  return messages.join(': ');
}

function messageOf(value: unknown): string {
  if (!Error.isError(value)) return String(value);
  return value.message || value.name;
}

function causeOf(value: unknown): unknown {
  return Error.isError(value) ? value.cause : undefined;
}

/** Ends a switch over a closed union. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
