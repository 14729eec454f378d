import { LlmError } from './errors.ts';
import { failureFactsOf } from './failure-facts.ts';
import type { LlmFailure, StreamChunk } from './types.ts';

/** The adapter failures of one `stream()` call, by identity of the thrown error. */
export class CallFailures {
  readonly #facts = new WeakMap<Error, LlmFailure>();

  /** Remembers what the adapter threw and gives back what is to be thrown: the same object if it is an Error. */
  tag(thrown: unknown): Error {
    const error = Error.isError(thrown) ? thrown : wrapThrownValue(thrown);
    this.#facts.set(error, failureFactsOf(error));
    return error;
  }

  factsOf(error: unknown): LlmFailure | undefined {
    return Error.isError(error) ? this.#facts.get(error) : undefined;
  }
}

function wrapThrownValue(value: unknown): Error {
  return new LlmError(`the adapter threw a value that is no Error: ${describe(value)}`, 'UNKNOWN', { cause: value });
}

function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}

/** Keyed by the handle a call returned, so that nested calls and reused iterables cannot be mixed up (L11). */
const failuresByHandle = new WeakMap<AsyncIterable<StreamChunk>, CallFailures>();

export function linkFailures(handle: AsyncIterable<StreamChunk>, failures: CallFailures): void {
  failuresByHandle.set(handle, failures);
}

/** Whether the adapter behind exactly this call, and nothing around it, threw `error`. */
export function isLlmAdapterFailure(handle: AsyncIterable<StreamChunk>, error: unknown): boolean {
  return llmFailureOf(handle, error) !== undefined;
}

/** The frozen facts of an adapter failure of this call; `undefined` for every other error. */
export function llmFailureOf(handle: AsyncIterable<StreamChunk>, error: unknown): LlmFailure | undefined {
  return failuresByHandle.get(handle)?.factsOf(error);
}
