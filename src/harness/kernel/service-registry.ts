import type { Context } from './context.ts';
import { attempt, throwCollected } from './undo.ts';
import type { Disposer } from './undo.ts';

/** Something that can only run while certain services are there. */
export interface Dependant {
  readonly inject: readonly string[];
  /** Starts if everything needed is there. */
  refresh(): void;
  /** Stops; the promise, if there was something to stop, settles when it has stopped. */
  deactivate(): void | Promise<void>;
}

/**
 * A service with this method shows each context a view of its own, always the same one, so that what is registered
 * through `agent.ctx.<key>` belongs to the scope and the lifetime of that context.
 */
export const VIEW_FOR = Symbol.for('dsh.kernel.view-for');
export interface ContextualService {
  [VIEW_FOR](ctx: Context): object;
}

/** Services of one root, as getters on its context: every derived context sees the very same object. */
export class ServiceRegistry {
  readonly #host: object;
  readonly #available = new Set<string>();
  readonly #dependants = new Set<Dependant>();

  constructor(host: object) {
    this.#host = host;
  }

  isAvailable(key: string): boolean {
    return this.#available.has(key);
  }

  watch(dependant: Dependant): Disposer {
    this.#dependants.add(dependant);
    return () => void this.#dependants.delete(dependant);
  }

  add(key: string, service: unknown): Disposer {
    Object.defineProperty(this.#host, key, { get: getterOf(service), configurable: true });
    this.#available.add(key);
    for (const dependant of this.#of(key)) dependant.refresh();
    return () => this.#remove(key);
  }

  /** Those who use it stop first, while it still answers. */
  #remove(key: string): void | Promise<void> {
    this.#available.delete(key);
    const errors: unknown[] = [];
    const stopping = this.#of(key)
      .map((dependant) => attempt(() => dependant.deactivate(), errors))
      .filter((running) => running !== undefined);
    const finish = () => {
      Reflect.deleteProperty(this.#host, key);
      throwCollected(errors);
    };
    return stopping.length > 0 ? Promise.all(stopping).then(finish) : finish();
  }

  #of(key: string): Dependant[] {
    return [...this.#dependants].filter((dependant) => dependant.inject.includes(key));
  }
}

function getterOf(service: unknown): (this: Context) => unknown {
  if (typeof service !== 'object' || service === null || !(VIEW_FOR in service)) return () => service;
  const contextual = service as ContextualService;
  const views = new WeakMap<Context, object>();
  return function () {
    const view = views.get(this) ?? contextual[VIEW_FOR](this);
    views.set(this, view);
    return view;
  };
}
