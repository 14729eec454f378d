/** One mutation of a file at a time, in the order they were asked for. */
export class TargetLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = (before ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
