import type { AgentCancelCause, AgentInterruptReason } from './types.ts';
import type { ParkRequest } from './parked.ts';

/**
 * Who may end one turn early. The first reason aborts the signal and stays its reason;
 * the strongest one decides the outcome: disposed, then a cancel, then parking.
 */
export class TurnCancellation {
  readonly #controller = new AbortController();
  #disposed = false;
  #cancelled = false;
  #parked: ParkRequest | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(cause: AgentCancelCause): void {
    this.#cancelled = true;
    this.#abort({ kind: cause.kind });
  }

  dispose(): void {
    this.#disposed = true;
    this.#abort({ kind: 'disposed' });
  }

  park(request: ParkRequest): void {
    this.#parked = request;
    this.#abort({ kind: 'parked' });
  }

  get interrupted(): boolean {
    return this.signal.aborted;
  }

  /** The outcome the interruptions so far lead to; `undefined` while there is none. */
  get outcome(): 'disposed' | 'aborted' | ParkRequest | undefined {
    if (this.#disposed) return 'disposed';
    return this.#cancelled ? 'aborted' : this.#parked;
  }

  /** The request to park, while nothing stronger has come. */
  get parking(): ParkRequest | undefined {
    return this.#disposed || this.#cancelled ? undefined : this.#parked;
  }

  #abort(reason: AgentInterruptReason): void {
    this.#controller.abort(Object.freeze(reason));
  }
}
