/** At most `limit` units in any `windowMs` milliseconds. Pure bookkeeping: the caller waits. */
export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #taken: { at: number; cost: number }[] = [];
  #sum = 0;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Milliseconds until `cost` fits; 0 means now. */
  waitMs(cost: number, now: number): number {
    this.#forget(now);
    let excess = this.#sum + cost - this.#limit;
    if (excess <= 0) return 0;
    for (const { at, cost: freed } of this.#taken) {
      excess -= freed;
      if (excess <= 0) return at + this.#windowMs - now;
    }
    return this.#windowMs;
  }

  take(cost: number, now: number): void {
    this.#taken.push({ at: now, cost });
    this.#sum += cost;
  }

  #forget(now: number): void {
    while (this.#taken[0] && this.#taken[0].at + this.#windowMs <= now) this.#sum -= this.#taken.shift()!.cost;
  }
}
