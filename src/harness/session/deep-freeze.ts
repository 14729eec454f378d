/** Freezes a value and everything plain inside it, in place. Live objects such as an `AbortSignal` stay as they are. */
export function deepFreeze<T>(value: T): T {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const container = stack.pop();
    if (!isPlainContainer(container) || Object.isFrozen(container)) continue;
    Object.freeze(container);
    stack.push(...Object.values(container));
  }
  return value;
}

function isPlainContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
