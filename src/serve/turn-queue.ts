/** Runs work of one key in order of arrival and different keys side by side, at most `width` at once (T8). */
export class TurnQueue {
  readonly #width: number;
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** `work` must not throw: what goes wrong is its own to tell. */
  add(key: string, work: () => Promise<void>): void {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const tail = before.then(() => this.#runOne(work));
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
  }

  async whenIdle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  /** Whoever ends hands its place to the next that waits, so that nobody slips in between. */
  async #runOne(work: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#width) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
