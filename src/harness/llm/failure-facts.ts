import { isLlmFailure } from './errors.ts';
import type { LlmFailure } from './types.ts';

const FIELDS = ['message', 'code', 'status', 'providerRetryAfterMs', 'requestId'] as const;

/**
 * A frozen copy of the facts an error carries in its own `failure` data property. The data is judged and not the
 * class, since two copies of a package may be loaded; one malformed field, or a code that is not the error's own,
 * drops all of it and leaves message and code. Getters are never run.
 */
export function failureFactsOf(error: Error): LlmFailure {
  const code = filledText(ownData(error, 'code')) ?? 'UNKNOWN';
  const carried = copyFields(ownData(error, 'failure'));
  if (isLlmFailure(carried) && carried.code === code) return Object.freeze(carried);
  return Object.freeze({ message: filledText(ownData(error, 'message')) ?? 'the model call failed', code });
}

function copyFields(carried: unknown): Partial<Record<(typeof FIELDS)[number], unknown>> | undefined {
  if (typeof carried !== 'object' || carried === null) return undefined;
  const copy: Partial<Record<(typeof FIELDS)[number], unknown>> = {};
  for (const field of FIELDS) {
    const value = ownData(carried, field);
    if (value !== undefined) copy[field] = value;
  }
  return copy;
}

function ownData(target: object, key: string): unknown {
  try {
    return Object.getOwnPropertyDescriptor(target, key)?.value;
  } catch {
    return undefined; // a proxy that throws
  }
}

function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
