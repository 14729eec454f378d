import { HarnessError } from '../llm/errors.ts';
import type { EffectOwner } from './effect.ts';
import type { Dependant, ServiceRegistry } from './service-registry.ts';
import { attempt, isThenable, throwCollected } from './undo.ts';
import type { Disposer } from './undo.ts';

/** `pending`: a service of `inject` is missing. `failed`: `apply` threw and everything it did was undone. */
export type FiberState = 'pending' | 'loading' | 'active' | 'unloading' | 'failed' | 'disposed';

export interface FiberSpec {
  name: string;
  inject: readonly string[];
  services: ServiceRegistry;
  parent?: Fiber;
  apply: () => void | Promise<void>;
}

/** The lifetime of one mounted plugin. Awaiting it waits until the plugin is applied. */
export class Fiber implements PromiseLike<void>, Dependant, EffectOwner {
  readonly name: string;
  readonly inject: readonly string[];
  /** Plugins mounted below this one and not yet disposed. */
  readonly children = new Set<Fiber>();

  readonly #spec: FiberSpec;
  readonly #unwatch: Disposer;
  readonly #effects = new Map<Disposer, { barrier: boolean }>();
  #state: FiberState = 'pending';
  #applied = Promise.withResolvers<void>();
  #applying: Promise<void> | undefined;
  #installs: Promise<void>[] = [];
  #unloading: Promise<unknown[]> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(spec: FiberSpec) {
    this.#spec = spec;
    this.name = spec.name;
    this.inject = spec.inject;
    this.#unwatch = spec.services.watch(this);
    spec.parent?.children.add(this);
    spec.parent?.hold(this.dispose, true);
  }

  get state(): FiberState {
    return this.#state;
  }

  /** The services this plugin still waits for. */
  get missing(): string[] {
    return this.inject.filter((key) => !this.#spec.services.isAvailable(key));
  }

  then<A = void, B = never>(
    onApplied?: ((value: void) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#applied.promise.then(onApplied, onFailed);
  }

  /**
   * Unloads for good; every caller awaits the same completion. Rejects with what failed, after trying everything.
   * This very function is the disposer the parent holds.
   */
  readonly dispose = (): Promise<void> => {
    if (this.#disposal) return this.#disposal;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#disposal = promise;
    resolve(this.#finish());
    return promise;
  };

  refresh(): void {
    if (this.#state === 'pending' && !this.#disposal && this.missing.length === 0) this.#load();
  }

  deactivate(): Promise<void> | undefined {
    const isRunning = this.#state === 'loading' || this.#state === 'active' || this.#unloading;
    return isRunning ? this.#unload().then(throwCollected) : undefined;
  }

  assertActive(label: string): void {
    if (this.#state === 'loading' || this.#state === 'active') return;
    throw new HarnessError(`cannot register ${label}: plugin "${this.name}" is ${this.#state}`, 'INACTIVE_EFFECT');
  }

  hold(dispose: Disposer, barrier: boolean): void {
    this.#effects.set(dispose, { barrier });
  }

  release(dispose: Disposer): void {
    this.#effects.delete(dispose);
  }

  awaitInstall(installing: Promise<void>): void {
    if (this.#state !== 'loading') return;
    this.#installs.push(installing);
    installing.catch(() => {});
  }

  #load(): void {
    this.#state = 'loading';
    this.#installs = [];
    try {
      const running = this.#spec.apply();
      if (isThenable(running) || this.#installs.length > 0) this.#applying = this.#finishLoading(running);
      else this.#activate();
    } catch (error) {
      this.#applying = this.#fail(error);
    }
  }

  async #finishLoading(running: void | Promise<void>): Promise<void> {
    try {
      await running;
      await Promise.all(this.#installs);
    } catch (error) {
      return this.#fail(error);
    }
    this.#activate();
  }

  #activate(): void {
    if (this.#state !== 'loading') return;
    this.#state = 'active';
    this.#applied.resolve();
  }

  /** While unloading, a late `apply` is bound to meet `INACTIVE_EFFECT`; any other failure goes to the unloader. */
  async #fail(error: unknown): Promise<void> {
    if (this.#state !== 'loading') {
      if ((error as { code?: unknown } | undefined)?.code === 'INACTIVE_EFFECT') return;
      throw error;
    }
    this.#state = 'failed';
    const errors = [error, ...(await this.#undoEffects())];
    this.#applied.reject(errors.length === 1 ? error : new AggregateError(errors, `plugin "${this.name}" failed`));
  }

  #unload(): Promise<unknown[]> {
    if (this.#unloading) return this.#unloading;
    if (this.#state === 'active') this.#applied = Promise.withResolvers();
    this.#state = 'unloading';
    const settled = this.#settleUnload();
    this.#unloading = settled;
    return settled;
  }

  async #settleUnload(): Promise<unknown[]> {
    const errors = await this.#undoEffects();
    await this.#applying?.catch((error: unknown) => errors.push(error));
    this.#unloading = undefined;
    this.#applying = undefined;
    this.#state = this.#disposal ? 'disposed' : 'pending';
    this.refresh();
    return errors;
  }

  async #finish(): Promise<void> {
    const errors = await this.#unload();
    this.#applied.promise.catch(() => {});
    this.#applied.reject(new HarnessError(`plugin "${this.name}" was disposed`, 'PLUGIN_DISPOSED'));
    await this.#unwatch();
    this.#spec.parent?.children.delete(this);
    this.#spec.parent?.release(this.dispose);
    throwCollected(errors);
  }

  /** Neighbouring effects go together; a barrier (a plugin, a service) goes alone, after all that came later. */
  async #undoEffects(): Promise<unknown[]> {
    const errors: unknown[] = [];
    while (this.#effects.size > 0) {
      const group = this.#lastGroup();
      const undoing = group.map((dispose) => attempt(dispose, errors));
      await Promise.all(undoing.filter((running) => running !== undefined));
      for (const dispose of group) this.#effects.delete(dispose);
    }
    return errors;
  }

  #lastGroup(): Disposer[] {
    const latestFirst = [...this.#effects].reverse();
    const plain = latestFirst.findIndex(([, { barrier }]) => barrier);
    const size = plain === -1 ? latestFirst.length : Math.max(plain, 1);
    return latestFirst.slice(0, size).map(([dispose]) => dispose);
  }
}
