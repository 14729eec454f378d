interface Entry<V> {
  value: V;
}

/**
 * A table of unique names, in insertion order. Iteration is live, but an emptied table starts over: whoever still
 * iterates the old one sees nothing of the new, so an entry that re-registers itself cannot be visited for ever.
 */
export class NamedEntries<V> {
  readonly #duplicateError: (name: string) => Error;
  #table = new Map<string, Entry<V>>();

  constructor(duplicateError: (name: string) => Error) {
    this.#duplicateError = duplicateError;
  }

  /** Throws the owner's error on a duplicate. The returned undo removes this entry and no later one of its name. */
  insert(name: string, value: V): () => void {
    if (this.#table.has(name)) throw this.#duplicateError(name);
    const entry = { value };
    this.#table.set(name, entry);
    return () => this.#remove(name, entry);
  }

  get(name: string): V | undefined {
    return this.#table.get(name)?.value;
  }

  has(name: string): boolean {
    return this.#table.has(name);
  }

  keys(): IteratorObject<string> {
    return this.#table.keys();
  }

  values(): IteratorObject<V> {
    return this.#table.values().map((entry) => entry.value);
  }

  entries(): IteratorObject<[string, V]> {
    return this.#table.entries().map(([name, entry]): [string, V] => [name, entry.value]);
  }

  isEmpty(): boolean {
    return this.#table.size === 0;
  }

  #remove(name: string, entry: Entry<V>): void {
    if (this.#table.get(name) !== entry) return;
    this.#table.delete(name);
    if (this.#table.size === 0) this.#table = new Map();
  }
}
