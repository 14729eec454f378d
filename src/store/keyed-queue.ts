/** Runs tasks of one key one after the other, those of different keys side by side. A failing task stops no later one. */
export class KeyedQueue<K> {
  readonly #tails = new Map<K, Promise<void>>();

  run<T>(key: K, task: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    const tail: Promise<void> = result.then(ignore, ignore).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return result;
  }

  /** Keys with work under way. */
  get size(): number {
    return this.#tails.size;
  }

  async whenIdle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}

function ignore(): void {}
