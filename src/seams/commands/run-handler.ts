import { checkResult } from './check-result.ts';
import type { StoredCommand } from './check-command.ts';
import type { CommandInvocation, CommandResult } from './types.ts';

/**
 * Waits for a handler as long as the signal lets it; one that is given up may still be finishing what it does (C11).
 * Rejects with the reason of the abort (C12), or with what the handler threw (C13).
 */
export async function runHandler(
  { descriptor, handler }: StoredCommand,
  invocation: CommandInvocation,
): Promise<CommandResult> {
  const { signal } = invocation;
  if (signal.aborted) throw abortError(signal.reason);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(abortError(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const returned = await Promise.race([aborted, call(handler, invocation)]);
    if (signal.aborted) throw abortError(signal.reason);
    return checkResult(descriptor.name, returned);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function call(handler: StoredCommand['handler'], invocation: CommandInvocation): Promise<CommandResult> {
  try {
    return await handler(invocation);
  } catch (thrown) {
    throw asError(thrown);
  }
}

function asError(thrown: unknown): unknown {
  return Error.isError(thrown) ? thrown : new Error(`a command failed: ${textOf(thrown)}`, { cause: thrown });
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'with something that has no text';
  }
}

function abortError(reason: unknown): unknown {
  if (Error.isError(reason)) return reason;
  return new Error(typeof reason === 'string' ? reason : 'command aborted');
}
