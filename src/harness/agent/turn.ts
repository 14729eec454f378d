import type { CallId, LlmFailure } from '../llm/types.ts';
import type { Loop } from './loop.ts';
import type { TurnCancellation } from './turn-cancellation.ts';
import type { TurnFacts } from './turn-outcome.ts';

/** Unwinds a turn whose signal was aborted; the outcome is read from the cancellation, never from this. */
export class TurnInterrupted extends Error {
  constructor() {
    super('the turn was interrupted');
    this.name = 'TurnInterrupted';
  }
}

/** One open turn. */
export class Turn {
  readonly loop: Loop;
  readonly number: number;
  readonly cancellation: TurnCancellation;
  readonly facts: TurnFacts = { cutShort: false };
  /** The last step that was started; 0 before the first. */
  step = 0;
  stoppedForGood = false;
  /** The call at which the turn is being parked. */
  waitingCall: CallId | undefined;
  /** Calls whose body may have begun. */
  readonly dispatched = new Set<CallId>();
  /** Failures that already bought a retry, since the last request that succeeded. */
  priorFailures: readonly LlmFailure[] = Object.freeze([]);

  constructor(loop: Loop, number: number, cancellation: TurnCancellation) {
    this.loop = loop;
    this.number = number;
    this.cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** @throws TurnInterrupted once the turn's signal is aborted */
  checkpoint(): void {
    if (this.cancellation.interrupted) throw new TurnInterrupted();
  }

  /** Awaits plugin work to its end, whatever happens meanwhile, and only then looks whether to go on. */
  async settled<T>(work: T | Promise<T>): Promise<Awaited<T>> {
    const value = await work;
    this.checkpoint();
    return value;
  }
}
