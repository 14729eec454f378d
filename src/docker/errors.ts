import { DshError } from '../errors.ts';

const CODE = 'SANDBOX_UNAVAILABLE';

/** No confined world to run in. There is no fallback to the host: the hint says what to mend. */
export function sandboxUnavailable(message: string, hint: string, cause?: unknown): DshError {
  return new DshError(message, CODE, hint, cause === undefined ? undefined : { cause });
}

/** Whether a failure means that the sandbox, and not the command, is at fault. */
export function isSandboxUnavailable(value: unknown): value is DshError {
  return Error.isError(value) && (value as { code?: unknown }).code === CODE;
}
