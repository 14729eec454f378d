import { HarnessError } from '../../harness/llm/errors.ts';

/** Throws what the abort was for, if the signal is aborted. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Waits no longer than the signal allows, whether or not the one who is waited for listens to it. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  promise.catch(() => {});
  assertNotAborted(signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(abortError(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return Error.isError(reason) ? reason : new HarnessError(`aborted${textOf(reason)}`, 'ABORTED', { cause: reason });
}

/** A reason may be anything, also what throws when it is made a text of. */
function textOf(reason: unknown): string {
  try {
    return reason === undefined ? '' : `: ${typeof reason === 'object' ? JSON.stringify(reason) : String(reason)}`;
  } catch {
    return '';
  }
}
