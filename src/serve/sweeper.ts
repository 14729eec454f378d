import { hostname } from 'node:os';
import { SessionId } from '../harness/session/types.ts';
import { holdLease } from '../store/hold-lease.ts';
import type { LeaseTerms } from '../store/hold-lease.ts';
import type { Sweep, Timetable } from '../store/timetable.ts';

export interface SweeperOptions {
  readonly sweeps: readonly Sweep[];
  readonly terms: LeaseTerms;
  readonly log: (message: string, error?: unknown) => void;
}

/** The one timer of maintenance. Of many processes that share a store, one at a time does each sweep. */
export class Sweeper implements Timetable {
  readonly #options: SweeperOptions;
  readonly #stopping = new AbortController();
  readonly #due: { readonly sweep: Sweep; at: number }[];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#due = options.sweeps.map((sweep) => ({ sweep, at: 0 }));
  }

  start(): void {
    const [shortest = 60_000] = this.#options.sweeps.map(({ everyMs }) => everyMs).toSorted((a, b) => a - b);
    this.#timer = setInterval(() => this.#sweep(), shortest).unref();
    this.#sweep();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort({ kind: 'disposed' });
    await this.#running;
  }

  async whenIdle(): Promise<void> {
    await this.#running;
  }

  #sweep(): void {
    this.#running = this.#running.then(async () => {
      for (const due of this.#due) {
        if (this.#stopping.signal.aborted || performance.now() < due.at) continue;
        due.at = performance.now() + due.sweep.everyMs - 1;
        await this.#run(due.sweep).catch((error: unknown) => this.#options.log(`${due.sweep.name} failed`, error));
      }
    });
  }

  async #run(sweep: Sweep): Promise<void> {
    const lease = await holdLease(leaseOf(sweep), this.#options.terms);
    if (!lease) return;
    try {
      await sweep.run(AbortSignal.any([this.#stopping.signal, lease.lost]));
    } finally {
      await lease.release();
    }
  }
}

function leaseOf({ name, scope }: Sweep): SessionId {
  return SessionId(scope === 'machine' ? `sweep-${name}-${hostname()}` : `sweep-${name}`);
}
