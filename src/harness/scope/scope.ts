import type { Context, Disposer } from '../kernel/context.ts';
import { LISTENER_FILTER } from '../kernel/event-bus.ts';
import type { FilteringCarrier } from '../kernel/event-bus.ts';
import type { ScopeKey } from '../system-prompt/types.ts';

export type { ScopeKey } from '../system-prompt/types.ts';

/** What is registered through `ctx` is seen in this scope only, and lives as long as it. */
export interface Scope {
  ctx: Context;
  /** The very disposer the kernel holds, to be yielded inside a composite effect. */
  rawDispose: Disposer;
  /** Every caller awaits the same finished teardown. */
  dispose(): Promise<void>;
}

const SCOPE_TAG = Symbol.for('dsh.scope.tag');

/** Opens a scope below `ctx`, usable at once. It resolves services as `ctx` does. */
export function createScope(ctx: Context, key: ScopeKey): Scope {
  let tagged = ctx;
  const fiber = ctx.plugin(function scope(inner) {
    tagged = inner.extend({ [SCOPE_TAG]: key });
  });
  return { ctx: tagged, rawDispose: fiber.dispose, dispose: fiber.dispose };
}

/** The key of the nearest scope around a context. */
export function scopeOf(ctx: Context): ScopeKey | undefined {
  return Reflect.get(ctx, SCOPE_TAG) as ScopeKey | undefined;
}

declare const SUBJECT: unique symbol;
/** The carrier of a dispatch about a `T`. Opaque: the subject itself travels as an argument of the event. */
export type Scoped<T extends object> = object & { readonly [SUBJECT]: T };

const carriers = new WeakMap<object, { key: ScopeKey | undefined }>();

/** A carrier that reaches untagged listeners and those of scope `key`, as far as a filter on `base` lets it. */
export function scopeTarget<T extends object>(base: T, key: ScopeKey | undefined): Scoped<T> {
  const hears = (ctx: Context) => passes(base, ctx) && isInScope(ctx, key);
  const carrier = Object.freeze({ __proto__: null, [LISTENER_FILTER]: hears });
  carriers.set(carrier, { key });
  return carrier as unknown as Scoped<T>;
}

export function isScopeCarrier(value: unknown): boolean {
  return typeof value === 'object' && value !== null && carriers.has(value);
}

/** The scope a carrier was made for; `undefined` as well for anything that is no carrier. */
export function carrierKeyOf(value: unknown): ScopeKey | undefined {
  return typeof value === 'object' && value !== null ? carriers.get(value)?.key : undefined;
}

function passes(base: Partial<FilteringCarrier>, ctx: Context): boolean {
  return base[LISTENER_FILTER]?.(ctx) ?? true;
}

function isInScope(ctx: Context, key: ScopeKey | undefined): boolean {
  const tag = scopeOf(ctx);
  return tag === undefined || tag === key;
}
