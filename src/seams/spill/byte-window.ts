/** The first bytes of a stream, copied: a piece of a large chunk would keep all of it in memory. */
export class ByteHead {
  readonly #bytes: Buffer;
  #length = 0;

  constructor(maxBytes: number) {
    this.#bytes = Buffer.alloc(maxBytes);
  }

  /** Answers how many of the bytes it took. */
  push(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#bytes.length - this.#length);
    this.#bytes.set(taken, this.#length);
    this.#length += taken.length;
    return taken.length;
  }

  read(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The last bytes of a stream, in a ring. */
export class ByteTail {
  readonly #ring: Buffer;
  #end = 0;
  #length = 0;

  constructor(maxBytes: number) {
    this.#ring = Buffer.alloc(maxBytes);
  }

  /** Answers how many of the bytes it took. */
  push(bytes: Uint8Array): number {
    const size = this.#ring.length;
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    if (last.length === 0) return 0;
    const beforeWrap = last.subarray(0, size - this.#end);
    this.#ring.set(beforeWrap, this.#end);
    this.#ring.set(last.subarray(beforeWrap.length), 0);
    this.#end = (this.#end + last.length) % size;
    this.#length = Math.min(size, this.#length + last.length);
    return last.length;
  }

  read(): Buffer {
    if (this.#length < this.#ring.length) return Buffer.from(this.#ring.subarray(0, this.#length));
    return Buffer.concat([this.#ring.subarray(this.#end), this.#ring.subarray(0, this.#end)]);
  }
}
