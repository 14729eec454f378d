/** A list of values without names; equal values stay separate. Iterates as `NamedEntries` does. */
export class AnonymousEntries<V> {
  #table = new Set<{ value: V }>();

  append(value: V): () => void {
    const entry = { value };
    this.#table.add(entry);
    return () => this.#remove(entry);
  }

  values(): IteratorObject<V> {
    return this.#table.values().map((entry) => entry.value);
  }

  isEmpty(): boolean {
    return this.#table.size === 0;
  }

  #remove(entry: { value: V }): void {
    const wasThere = this.#table.delete(entry);
    if (wasThere && this.#table.size === 0) this.#table = new Set();
  }
}
