interface Frame {
  readonly source: Record<string, unknown>;
  /** Absent for arrays. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly copy: Record<string, unknown>;
  next: number;
}

/** Containers known to be frozen lossless JSON: a second snapshot of them is themselves. */
const snapshots = new WeakSet<object>();

/**
 * A detached, deep-frozen copy of a lossless JSON value: finite numbers, no -0, no holes, plain objects and arrays.
 * Every property is read exactly once, so the value that was checked is the value that is kept.
 * Throws `TypeError` with the path of the first thing that is not JSON.
 */
export function snapshotJsonValue<T>(value: T): T {
  const copy = copyJsonValue(value);
  if (typeof copy === 'object' && copy !== null) snapshots.add(copy);
  return copy;
}

/** As `snapshotJsonValue`, but not known as a snapshot afterwards: remembering values by the thousand is dear. */
export function copyJsonValue<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return leaf(value, []) as T;
  if (snapshots.has(value)) return value;
  const root = open(value, []);
  copyFrom(root);
  return root.copy as T;
}

/** Iterative: values nested thousands of levels deep must not overflow the call stack. */
function copyFrom(root: Frame): void {
  const stack = [root];
  const ancestors = new Set<object>([root.source]);
  for (let frame: Frame | undefined = root; frame;) {
    if (frame.next === frame.length) {
      Object.freeze(frame.copy);
      ancestors.delete(frame.source);
      stack.pop();
      frame = stack.at(-1);
      continue;
    }
    const key = frame.keys ? frame.keys[frame.next]! : String(frame.next);
    const value = frame.keys ? frame.source[key] : frame.source[frame.next];
    frame.next += 1;
    if (typeof value !== 'object' || value === null) {
      put(frame, key, leaf(value, stack));
    } else if (snapshots.has(value)) {
      put(frame, key, value);
    } else {
      if (ancestors.has(value)) throw notJson('a cycle', stack);
      const child = open(value, stack);
      put(frame, key, child.copy);
      ancestors.add(value);
      stack.push(child);
      frame = child;
    }
  }
}

function open(value: object, stack: readonly Frame[]): Frame {
  const source = value as Record<string, unknown>;
  const keys = Object.keys(value);
  if (Array.isArray(value)) {
    if (!isPlainArray(value) || keys.length > value.length) throw notJson('not a plain array', stack);
    return { source, keys: undefined, length: value.length, copy: [] as never, next: 0 };
  }
  if (!isPlainObject(value)) throw notJson('not a plain object', stack);
  if (Reflect.ownKeys(value).length !== keys.length) throw notJson('a symbol or hidden property', stack);
  return { source, keys, length: keys.length, copy: {}, next: 0 };
}

/** By shape, not by identity: values may come from another realm. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf');
}

function isPlainArray(value: readonly unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Array.prototype || Array.isArray(prototype);
}

function leaf(value: unknown, stack: readonly Frame[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value) || Object.is(value, -0)) throw notJson(numberName(value), stack);
      return value;
    case 'object':
      return null;
    default:
      throw notJson(typeof value, stack);
  }
}

function numberName(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function put(frame: Frame, key: string, value: unknown): void {
  if (frame.keys === undefined) (frame.copy as unknown as unknown[]).push(value);
  else if (key !== '__proto__') frame.copy[key] = value;
  else Object.defineProperty(frame.copy, key, { value, enumerable: true, configurable: true, writable: true });
}

function notJson(what: string, stack: readonly Frame[]): TypeError {
  const path = stack.map((frame) => `[${frame.keys ? JSON.stringify(frame.keys[frame.next - 1]) : frame.next - 1}]`);
  return new TypeError(`not lossless JSON: ${what} at $${path.join('')}`);
}

/** Whether a value came out of a snapshot, and so is deep-frozen lossless JSON. */
export function isSnapshot(value: object): boolean {
  return snapshots.has(value);
}

/** Freezes an object or list whose parts are all deep-frozen lossless JSON, which makes it a snapshot itself. */
export function snapshotOfParts<T extends object>(value: T): T {
  snapshots.add(Object.freeze(value));
  return value;
}

/** Whether `snapshotJsonValue` would accept the value. */
export function isJsonValue(value: unknown): boolean {
  try {
    snapshotJsonValue(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Freezes in place what `JSON.parse` has just returned and nobody else holds.
 * Throws `TypeError` on -0, the one value JSON text can hold and the log cannot.
 */
export function freezeParsedJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return leaf(value, []) as T;
  const tooDeep: object[] = [value];
  for (let next = tooDeep.pop(); next; next = tooDeep.pop()) freezeNested(next, 0, tooDeep);
  return value;
}

const MAX_RECURSION = 100;

/** Recursive, as that is twice as fast, but never so deep that it could overflow the call stack. */
function freezeNested(container: object, depth: number, tooDeep: object[]): void {
  for (const key in container) {
    const inner: unknown = (container as Record<string, unknown>)[key];
    if (typeof inner === 'number') leaf(inner, []);
    else if (typeof inner !== 'object' || inner === null) continue;
    else if (depth < MAX_RECURSION) freezeNested(inner, depth + 1, tooDeep);
    else tooDeep.push(inner);
  }
  Object.freeze(container);
}
