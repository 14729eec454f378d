import { HarnessError } from '../../harness/llm/errors.ts';

const CODE = 'HANDED_BACK';
/** What a store answers whose lease was taken by another one, before this process has noticed; and one that is away. */
const NOT_OURS = new Set(['STALE_LEASE', 'DATABASE_UNAVAILABLE']);

/** This process may not end the work, but another one will: nothing is told, nothing counts as done. */
export function handedBack(what: string, cause?: unknown): HarnessError {
  return new HarnessError(`${what} is left to whoever takes it up`, CODE, { cause });
}

export function isHandedBack(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === CODE;
}

/** Whether a failure says nothing of the work: another worker has it, or this one goes on when the store is back. */
export function leavesWork(error: unknown): boolean {
  return isHandedBack(error) || NOT_OURS.has(String((error as { code?: unknown } | undefined)?.code));
}

/** Whether an abort means that another worker goes on: the lease is lost, or the process shuts down. */
export function handsBack(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as { kind?: unknown } | undefined)?.kind === 'disposed';
}
