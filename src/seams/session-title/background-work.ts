import { setTimeout as sleep } from 'node:timers/promises';

/** Work that nobody waits for, until whoever began it ends. */
export class BackgroundWork {
  readonly #report: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();

  /** `report` hears of what failed while it was still wanted. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  start(work: () => Promise<unknown>, isUnwanted: () => boolean): void {
    const running = Promise.resolve().then(work);
    this.track(
      running.catch((error: unknown) => {
        if (!isUnwanted()) this.#report(error);
      }),
    );
  }

  /** Takes work that somebody else waits for. */
  track(work: Promise<unknown>): void {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
  }

  /** Resolves when nothing runs, or after `ms`. */
  async settledWithin(ms: number): Promise<void> {
    if (ms === 0 || this.#running.size === 0) return;
    const timer = new AbortController();
    const waited = sleep(ms, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#running), waited]);
    timer.abort();
    await waited;
  }

  /** Resolves when nothing is left, what was begun meanwhile included. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
