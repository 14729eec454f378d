import type { Context, Disposer } from '../kernel/context.ts';
import type { NamedEntries } from './named-entries.ts';
import { scopeOf } from './scope.ts';
import type { ScopeKey } from './scope.ts';

/** Everything one scope contributes to one registry. */
export interface ScopeLayer {
  isEmpty(): boolean;
}

export interface LayerEffectOptions {
  label: string;
  /** Whether the registry's listeners are told; they are unless this is `false`. */
  notify?: boolean;
}

/** The global layer of a registry and one layer for every scope that contributed something. */
export class ScopedLayers<L extends ScopeLayer> {
  readonly global: L;
  readonly #createLayer: (scope: ScopeKey | undefined) => L;
  readonly #onChange: () => void;
  readonly #scoped = new Map<ScopeKey, L>();

  constructor(createLayer: (scope: ScopeKey | undefined) => L, onChange: () => void) {
    this.#createLayer = createLayer;
    this.#onChange = onChange;
    this.global = createLayer(undefined);
  }

  /** The layer of a scope, if it contributed anything. Never creates one. */
  peek(scope: ScopeKey | undefined): L | undefined {
    return scope && this.#scoped.get(scope);
  }

  /** Global entries in order, each replaced in place by its shadow; names known to the scope only follow. */
  merge<V>(scope: ScopeKey | undefined, pick: (layer: L) => NamedEntries<V>): Map<string, V> {
    const merged = new Map(pick(this.global).entries());
    const layer = this.peek(scope);
    if (layer) for (const [name, value] of pick(layer).entries()) merged.set(name, value);
    return merged;
  }

  /** Registers into the layer of `ctx`, for as long as `ctx` lives. A failing `onChange` takes it back. */
  effect(ctx: Context, action: (layer: L) => () => void, options: LayerEffectOptions): Disposer {
    const { label, notify = true } = options;
    return ctx.effect(() => {
      const takeBack = this.#insert(scopeOf(ctx), action);
      try {
        if (notify) this.#onChange();
      } catch (error) {
        takeBack();
        throw error;
      }
      return () => {
        takeBack();
        if (notify) this.#onChange();
      };
    }, label);
  }

  #insert(scope: ScopeKey | undefined, action: (layer: L) => () => void): () => void {
    const existing = scope ? this.peek(scope) : this.global;
    const layer = existing ?? this.#createLayer(scope);
    if (scope) this.#scoped.set(scope, layer);
    try {
      const undo = action(layer);
      return () => {
        undo();
        if (layer.isEmpty()) this.#drop(scope, layer);
      };
    } catch (error) {
      if (!existing) this.#drop(scope, layer);
      throw error;
    }
  }

  #drop(scope: ScopeKey | undefined, layer: L): void {
    if (scope && this.peek(scope) === layer) this.#scoped.delete(scope);
  }
}
