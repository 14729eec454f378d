import { HarnessError } from '../llm/errors.ts';
import type { Disposer, EffectInstaller } from './effect.ts';
import { installEffect } from './effect.ts';
import type { Dispatch } from './event-bus.ts';
import { EventBus } from './event-bus.ts';
import { Fiber } from './fiber.ts';
import { ServiceRegistry } from './service-registry.ts';

export type { Disposer, EffectInstaller } from './effect.ts';
export type { Fiber, FiberState } from './fiber.ts';

/** Open: event name → listener type. A waterfall's listener takes `(...args, next)`. */
export interface Events {
  /** Hears every other dispatch before its listeners do; a throw stops that dispatch. For invariants. */
  'kernel/dispatch'(dispatch: Dispatch): void;
  /** A listener of a `notify` failed. `origin` is the name of the event. */
  'kernel/error'(error: unknown, origin: string): void;
}

export type EventName = keyof Events & string;
type Signature<K extends EventName> = Events[K] extends (this: never, ...args: infer A) => infer R
  ? { args: A; result: R }
  : never;
export type EventArgs<K extends EventName> = Signature<K>['args'];
export type EventResult<K extends EventName> = Signature<K>['result'];
type WithoutNext<A> = A extends [...infer Head, unknown] ? Head : never;
export type WaterfallArgs<K extends EventName> = [...WithoutNext<EventArgs<K>>, innermost: () => EventResult<K>];
type ServiceOf<K> = K extends keyof Context ? Context[K] : unknown;

export interface ListenerOptions {
  /** Outermost, before the listeners that are there already. */
  prepend?: boolean;
  /** Hears dispatches of every carrier. */
  global?: boolean;
}

/** `apply` runs once every service of `inject` is there, and again after one left and came back. */
export interface Plugin<C = unknown> {
  name: string;
  inject?: readonly string[];
  apply(ctx: Context, config: C): void | Promise<void>;
}
export type PluginFunction<C = unknown> = (ctx: Context, config: C) => void | Promise<void>;
/** Every function has a `name` and an `apply`, too; `call` tells it from a plugin object. */
type Mountable<C> = PluginFunction<C> | (Plugin<C> & { call?: never });

const CORE = Symbol('kernel core');

/**
 * Where plugins meet: events, effects, services (as `ctx.<key>`, declared by merging into this interface) and child
 * plugins. Contexts form a tree by prototype, so what is set on one is seen on all derived from it.
 */
export class Context {
  readonly root: Context;
  /** The lifetime that everything registered here belongs to. */
  readonly fiber: Fiber;
  readonly [CORE]: { bus: EventBus; services: ServiceRegistry };

  constructor() {
    const services = new ServiceRegistry(this);
    this.root = this;
    this[CORE] = { bus: new EventBus(), services };
    this.fiber = new Fiber({ name: 'root', inject: [], services, apply: () => {} });
    this.fiber.refresh();
  }

  /** Listens until the returned disposer is called or the plugin is unloaded. */
  on<K extends EventName>(name: K, listener: Events[K], options: ListenerOptions = {}): Disposer {
    const { prepend = false, global = false } = options;
    const entry = { ctx: this as Context, call: listener as (...args: unknown[]) => unknown, global };
    return this.effect(() => this[CORE].bus.add(name, entry, prepend), `listener of ${name}`);
  }

  /** Synchronous, in registration order. A throw reaches the caller and skips later listeners. */
  emit<K extends EventName>(name: K, ...args: EventArgs<K>): void;
  emit<K extends EventName>(carrier: object, name: K, ...args: EventArgs<K>): void;
  emit(...input: unknown[]): void {
    this[CORE].bus.emit(input);
  }

  /** As `emit`, but a listener that throws or rejects stops no other: its error goes to `kernel/error`. */
  notify<K extends EventName>(name: K, ...args: EventArgs<K>): void;
  notify<K extends EventName>(carrier: object, name: K, ...args: EventArgs<K>): void;
  notify(...input: unknown[]): void {
    this[CORE].bus.notify(input);
  }

  /** All listeners at once; waits for all, then throws one `AggregateError` if any failed. */
  parallel<K extends EventName>(name: K, ...args: EventArgs<K>): Promise<void>;
  parallel<K extends EventName>(carrier: object, name: K, ...args: EventArgs<K>): Promise<void>;
  parallel(...input: unknown[]): Promise<void> {
    return this[CORE].bus.parallel(input);
  }

  /** One listener after the other; the first value other than `undefined`, `null` and `false` stops and wins. */
  serial<K extends EventName>(name: K, ...args: EventArgs<K>): Promise<Awaited<EventResult<K>> | undefined>;
  serial<K extends EventName>(
    carrier: object,
    name: K,
    ...args: EventArgs<K>
  ): Promise<Awaited<EventResult<K>> | undefined>;
  serial(...input: unknown[]): Promise<unknown> {
    return this[CORE].bus.serial(input);
  }

  /** Around-middleware, first registered outermost. `innermost` runs when every listener called its `next`. */
  waterfall<K extends EventName>(name: K, ...args: WaterfallArgs<K>): EventResult<K>;
  waterfall<K extends EventName>(carrier: object, name: K, ...args: WaterfallArgs<K>): EventResult<K>;
  waterfall(...input: unknown[]): unknown {
    return this[CORE].bus.waterfall(input);
  }

  /**
   * Installs something that has to be undone, and returns its single-shot disposer. A generator's yielded disposers
   * are undone in reverse, each awaited. Throws `INACTIVE_EFFECT` when the plugin is not loaded.
   */
  effect(install: EffectInstaller, label = 'effect'): Disposer {
    return installEffect(this.fiber, install, { label });
  }

  /** Mounts a plugin. Awaiting the fiber waits until it is applied, and throws what `apply` threw. */
  plugin(plugin: Mountable<undefined>): Fiber;
  plugin<C>(plugin: Mountable<C>, config: C): Fiber;
  plugin(plugin: Plugin | PluginFunction, config?: unknown): Fiber {
    this.fiber.assertActive('plugin');
    const spec = typeof plugin === 'function' ? { name: plugin.name || 'anonymous', apply: plugin } : plugin;
    const fiber: Fiber = new Fiber({
      name: spec.name,
      inject: [...(spec.inject ?? [])],
      services: this[CORE].services,
      parent: this.fiber,
      apply: () => spec.apply(this.extend({ fiber }), config),
    });
    fiber.refresh();
    return fiber;
  }

  /** Makes `ctx.<key>` answer `service` under this root, and applies the plugins that waited for it. */
  provide<K extends string>(key: K, service: ServiceOf<K>): Disposer {
    if (key in this.root) throw new HarnessError(`"${key}" is already provided or reserved`, 'SERVICE_EXISTS');
    const install = () => this[CORE].services.add(key, service);
    return installEffect(this.fiber, install, { label: `service ${key}`, barrier: true });
  }

  /** A service that may be absent. */
  get<K extends string>(key: K): ServiceOf<K> | undefined {
    return key in Context.prototype ? undefined : (Reflect.get(this, key) as ServiceOf<K> | undefined);
  }

  /** A derived context of the same lifetime on which `props` can be seen. */
  extend<P extends object>(props: P): Context & P {
    return Object.create(this, Object.getOwnPropertyDescriptors(props)) as Context & P;
  }
}
