import type { AgentInterruptReason } from './types.ts';

const KINDS: ReadonlySet<unknown> = new Set<AgentInterruptReason['kind']>(['user', 'parent', 'disposed', 'parked']);

/** Why a turn's signal was aborted, as a fresh frozen value; `undefined` if it was not, or by something else. */
export function agentInterruptReasonOf(signal: AbortSignal): AgentInterruptReason | undefined {
  if (!signal.aborted) return undefined;
  const kind = onlyKindOf(signal.reason);
  return KINDS.has(kind) ? Object.freeze({ kind } as AgentInterruptReason) : undefined;
}

function onlyKindOf(reason: unknown): unknown {
  if (typeof reason !== 'object' || reason === null || !isPlain(reason)) return undefined;
  const keys = Reflect.ownKeys(reason);
  const property = Object.getOwnPropertyDescriptor(reason, 'kind');
  return keys.length === 1 && property !== undefined && 'value' in property ? property.value : undefined;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
