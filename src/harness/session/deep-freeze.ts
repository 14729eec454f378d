import { isSnapshot } from './snapshot-json.ts';

/** Freezes a value and everything plain inside it, in place. Live objects such as an `AbortSignal` stay as they are. */
export function deepFreeze<T>(value: T): T {
  const stack: unknown[] = [value];
  const seen = new Set<object>();
  while (stack.length > 0) {
    const container = stack.pop();
    if (!isPlainContainer(container) || isSnapshot(container) || seen.has(container)) continue;
    seen.add(Object.freeze(container));
    for (const inner of Object.values(container)) stack.push(inner);
  }
  return value;
}

function isPlainContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
