import { attempt, throwCollected, undoInReverse } from './undo.ts';
import type { Disposer } from './undo.ts';

export type { Disposer } from './undo.ts';
export type EffectInstaller = () => Disposer | Iterable<Disposer> | AsyncIterable<Disposer> | void;

/** The lifetime an effect belongs to. */
export interface EffectOwner {
  assertActive(label: string): void;
  hold(dispose: Disposer, barrier: boolean): void;
  release(dispose: Disposer): void;
  /** Loading is over only after this, too. */
  awaitInstall(installing: Promise<void>): void;
}

export interface EffectOptions {
  label: string;
  /** Everything installed later is undone before this one, and this one before anything earlier. */
  barrier?: boolean;
}

/** Runs `install` and gives its undo to `owner`; a throw undoes what was collected so far. */
export function installEffect(owner: EffectOwner, install: EffectInstaller, options: EffectOptions): Disposer {
  owner.assertActive(options.label);
  const effect = new Effect(owner);
  owner.hold(effect.dispose, options.barrier ?? false);
  try {
    effect.collectAll(install());
  } catch (error) {
    throw effect.abandon(error);
  }
  return effect.dispose;
}

class Effect {
  readonly #owner: EffectOwner;
  readonly #collected: Disposer[] = [];
  #installing: Promise<void> | undefined;
  #disposed = false;
  #undoing: void | Promise<void> = undefined;

  constructor(owner: EffectOwner) {
    this.#owner = owner;
  }

  /** The one function by which this effect is known: it runs once, and later calls share its completion. */
  readonly dispose: Disposer = () => {
    if (this.#disposed) return this.#undoing;
    this.#disposed = true;
    const installing = this.#installing?.catch(() => {});
    if (installing) this.#collected.push(() => installing);
    try {
      this.#undoing = undoInReverse(this.#collected)?.finally(() => this.#owner.release(this.dispose));
    } finally {
      if (!this.#undoing) this.#owner.release(this.dispose);
    }
    return this.#undoing;
  };

  collectAll(installed: ReturnType<EffectInstaller>): void {
    if (!installed) return;
    if (typeof installed === 'function') void this.#collect(installed);
    else if (Symbol.iterator in installed) this.#collectEach(installed);
    else this.#collectLater(installed);
  }

  /** Undoes a half-installed effect and returns the error to throw. */
  abandon(error: unknown): unknown {
    const errors = [error];
    const undoing = attempt(this.dispose, errors);
    void undoing?.then(() => throwCollected(errors.slice(1)));
    return combined(errors);
  }

  /** A disposer that the owner held by itself moves into this effect, which from now on decides its turn. */
  #collect(dispose: Disposer): void | Promise<void> {
    if (this.#disposed) return dispose();
    this.#owner.release(dispose);
    this.#collected.push(dispose);
  }

  #collectEach(installed: Iterable<Disposer>): void {
    for (const dispose of installed) {
      void this.#collect(dispose);
      if (this.#disposed) break;
    }
  }

  #collectLater(installed: AsyncIterable<Disposer>): void {
    const installing = this.#collectAsync(installed);
    this.#installing = installing;
    this.#owner.awaitInstall(installing);
  }

  async #collectAsync(installed: AsyncIterable<Disposer>): Promise<void> {
    try {
      for await (const dispose of installed) {
        await this.#collect(dispose);
        if (this.#disposed) break;
      }
    } catch (error) {
      if (this.#disposed) throw error;
      this.#installing = undefined;
      const errors = [error];
      await attempt(this.dispose, errors);
      throw combined(errors);
    }
  }
}

function combined(errors: unknown[]): unknown {
  return errors.length === 1 ? errors[0] : new AggregateError(errors, 'an effect failed, and so did its undo');
}
