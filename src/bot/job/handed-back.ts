import { HarnessError } from '../../harness/llm/errors.ts';

const CODE = 'HANDED_BACK';

/** This process may not end the work, but another one will: nothing is told, nothing counts as done. */
export function handedBack(what: string, cause?: unknown): HarnessError {
  return new HarnessError(`${what} is left to whoever takes it up`, CODE, { cause });
}

export function isHandedBack(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === CODE;
}

/** Whether an abort means that another worker goes on: the lease is lost, or the process shuts down. */
export function handsBack(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as { kind?: unknown } | undefined)?.kind === 'disposed';
}
