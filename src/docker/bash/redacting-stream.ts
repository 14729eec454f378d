import { isUtf8 } from 'node:buffer';

/** No secret is longer than this, but for a key of many lines, of which each line counts alone. */
const LONGEST_SECRET = 4096;
const NOTHING = Buffer.alloc(0);

/**
 * Takes secrets out of bytes that come in pieces of any size: what may be the beginning of one is held back. Bytes
 * without a secret pass unchanged, whether they are text or not.
 */
export class RedactingStream {
  readonly #redact: (text: string) => string;
  #held: Buffer = NOTHING;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** What can be written now. */
  push(bytes: Buffer): Buffer {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const end = this.#safeEnd(all);
    this.#held = Buffer.from(all.subarray(end));
    return this.#clean(all.subarray(0, end));
  }

  /** What was held back to the last. */
  end(): Buffer {
    const rest = this.#clean(this.#held);
    this.#held = NOTHING;
    return rest;
  }

  /** After the last line; in a line that is much longer than a secret, where a cut goes through none. */
  #safeEnd(bytes: Buffer): number {
    const border = bytes.lastIndexOf(0x0a) + 1;
    if (bytes.length - border <= 3 * LONGEST_SECRET) return border;
    const window = bytes.subarray(-3 * LONGEST_SECRET);
    const clean = this.#clean(window);
    let cut = 2 * LONGEST_SECRET;
    while (cut > LONGEST_SECRET && !this.#cleanInTwo(window, cut).equals(clean)) cut -= 1;
    return bytes.length - window.length + cut;
  }

  #cleanInTwo(bytes: Buffer, cut: number): Buffer {
    return Buffer.concat([this.#clean(bytes.subarray(0, cut)), this.#clean(bytes.subarray(cut))]);
  }

  #clean(bytes: Buffer): Buffer {
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    const clean = this.#redact(text);
    return clean === text ? bytes : Buffer.from(clean, encoding);
  }
}
