import { HarnessError } from '../llm/errors.ts';
import type { Context } from './context.ts';
import { isThenable } from './undo.ts';
import type { Disposer } from './undo.ts';

/** A carrier with this method chooses, by their contexts, which listeners hear its dispatch. */
export const LISTENER_FILTER = Symbol.for('dsh.kernel.listener-filter');
export interface FilteringCarrier {
  [LISTENER_FILTER](ctx: Context): boolean;
}

export type DispatchMode = 'emit' | 'notify' | 'parallel' | 'serial' | 'waterfall';
export interface Dispatch {
  mode: DispatchMode;
  name: string;
  carrier: object | undefined;
  args: readonly unknown[];
}
export interface Listener {
  ctx: Context;
  call: (...args: unknown[]) => unknown;
  global: boolean;
}

/** Lists are copied on change, so that a running dispatch keeps the one it began with. */
export class EventBus {
  readonly #listeners = new Map<string, readonly Listener[]>();

  add(name: string, listener: Listener, prepend: boolean): Disposer {
    const before = this.#of(name);
    this.#listeners.set(name, prepend ? [listener, ...before] : [...before, listener]);
    return () => this.#remove(name, listener);
  }

  emit(input: unknown[]): void {
    const { carrier, args, audience } = this.#open('emit', input);
    for (const listener of audience) listener.call.apply(carrier, args);
  }

  notify(input: unknown[]): void {
    const { carrier, name, args, audience } = this.#open('notify', input);
    const report = (error: unknown) => this.#report(error, name);
    for (const listener of audience) {
      try {
        const running = listener.call.apply(carrier, args);
        if (isThenable(running)) void running.then(undefined, report);
      } catch (error) {
        report(error);
      }
    }
  }

  async parallel(input: unknown[]): Promise<void> {
    const { carrier, name, args, audience } = this.#open('parallel', input);
    const settled = await Promise.allSettled(audience.map(async (listener) => listener.call.apply(carrier, args)));
    const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} listeners of ${name} failed`);
  }

  async serial(input: unknown[]): Promise<unknown> {
    const { carrier, args, audience } = this.#open('serial', input);
    for (const listener of audience) {
      const value = await listener.call.apply(carrier, args);
      if (value !== undefined && value !== null && value !== false) return value;
    }
    return undefined;
  }

  waterfall(input: unknown[]): unknown {
    const innermost = input.pop() as () => unknown;
    const { carrier, name, args, audience } = this.#open('waterfall', input);
    const runFrom = (index: number): unknown => {
      const listener = audience[index];
      if (!listener) return innermost();
      return listener.call.apply(carrier, [...args, onlyOnce(() => runFrom(index + 1), name)]);
    };
    return runFrom(0);
  }

  #open(mode: DispatchMode, input: unknown[]): Dispatch & { args: unknown[]; audience: readonly Listener[] } {
    const [carrier, name, ...args] = typeof input[0] === 'string' ? [undefined, ...input] : input;
    const dispatch = { mode, name: name as string, carrier: carrier as object | undefined, args };
    if (!dispatch.name.startsWith('kernel/')) this.#announce(dispatch);
    return { ...dispatch, audience: audienceOf(this.#of(dispatch.name), dispatch.carrier) };
  }

  #announce(dispatch: Dispatch): void {
    for (const listener of this.#of('kernel/dispatch')) listener.call(dispatch);
  }

  /** An error nobody listens for still has to be seen by someone. */
  #report(error: unknown, origin: string): void {
    const observers = this.#of('kernel/error');
    if (observers.length === 0) process.emitWarning(Error.isError(error) ? error : String(error));
    for (const observer of observers) observer.call(error, origin);
  }

  #of(name: string): readonly Listener[] {
    return this.#listeners.get(name) ?? [];
  }

  #remove(name: string, listener: Listener): void {
    const rest = this.#of(name).filter((other) => other !== listener);
    if (rest.length > 0) this.#listeners.set(name, rest);
    else this.#listeners.delete(name);
  }
}

function audienceOf(listeners: readonly Listener[], carrier: object | undefined): readonly Listener[] {
  if (!carrier || !(LISTENER_FILTER in carrier)) return listeners;
  const filtering = carrier as FilteringCarrier;
  return listeners.filter((listener) => listener.global || filtering[LISTENER_FILTER](listener.ctx));
}

function onlyOnce(run: () => unknown, name: string): () => unknown {
  let called = false;
  return () => {
    if (called) throw new HarnessError(`a listener of ${name} called next() twice`, 'NEXT_CALLED_TWICE');
    called = true;
    return run();
  };
}
