import { CallId } from '../llm/types.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { ToolExecution, ToolExecutionInput, ToolExecutionToken } from './types.ts';

export interface Materialized {
  exec: Readonly<ToolExecution>;
  /** Why the input could not be taken; then `exec` holds what could be read of it. */
  failure?: { cause: unknown };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Takes the caller's input once and for all: every field is read a single time and the arguments become a frozen
 * copy, so that the log, the approval, the card and the body see the same bytes.
 */
export function materialize(input: ToolExecutionInput): Materialized {
  const exec: Mutable<ToolExecution> = {
    token: Symbol('tool execution') as ToolExecutionToken,
    callId: CallId(''),
    name: '',
    arguments: null,
    signal: new AbortController().signal,
  };
  try {
    readInto(exec, input);
    return { exec: Object.freeze(exec) };
  } catch (cause) {
    return { exec: Object.freeze(exec), failure: { cause } };
  }
}

function readInto(exec: Mutable<ToolExecution>, input: ToolExecutionInput): void {
  exec.callId = input.callId;
  exec.name = input.name;
  const { agent, parent, signal } = input;
  if (agent) exec.agent = agent;
  if (parent) exec.parent = parent;
  if (typeof signal?.aborted !== 'boolean') throw new TypeError('a tool call needs an AbortSignal');
  exec.signal = signal;
  exec.arguments = snapshotJsonValue(input.arguments);
}
