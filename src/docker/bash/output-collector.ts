import type { CollectedOutput } from '../../seams/bash/executor.ts';
import type { SpillFile } from './spill-file.ts';

const MAX_HEAD_BYTES = 16_384;

export interface OutputDelta {
  text: string;
  /** Bytes that nobody had read fell out of the window. */
  lossy: boolean;
}

/** One output stream of a command: its first bytes, its last `maxBytes`, and all of it in a file when that is too little. */
export class OutputCollector {
  readonly #maxBytes: number;
  readonly #spill: SpillFile | undefined;
  #head: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #windowBytes = 0;
  #totalBytes = 0;
  #readBytes = 0;
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(maxBytes: number, spill?: SpillFile) {
    this.#maxBytes = maxBytes;
    this.#spill = spill;
  }

  /** `skipped` bytes of the stream are missing before these. */
  push(bytes: Buffer, skipped = 0): void {
    if (skipped > 0) this.#leaveGap(skipped);
    this.#keepHead(bytes);
    this.#chunks.push(bytes);
    this.#windowBytes += bytes.length;
    this.#totalBytes += bytes.length;
    if (this.#windowBytes > this.#maxBytes) this.#spill?.begin(this.#chunks);
    else this.#spill?.append(bytes);
    while (this.#windowBytes > this.#maxBytes) this.#dropOldest();
  }

  /** All that was kept. Ends the spill file. */
  finish(): CollectedOutput {
    const spillPath = this.#spill?.finish();
    const tail = Buffer.concat(this.#chunks);
    if (this.#totalBytes === this.#windowBytes) return { text: tail.toString(), truncated: false };
    return {
      text: tail.toString('utf8', firstCodePoint(tail)),
      truncated: true,
      ...(spillPath !== undefined && { spillPath }),
      head: new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#head, { stream: true }),
      totalBytes: this.#totalBytes,
    };
  }

  /** What came since the last read. */
  readNew(): OutputDelta {
    const windowStart = this.#totalBytes - this.#windowBytes;
    const lossy = this.#readBytes < windowStart;
    if (lossy) this.#decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const unread = Buffer.concat(this.#chunks).subarray(Math.max(0, this.#readBytes - windowStart));
    this.#readBytes = this.#totalBytes;
    return {
      text: this.#decoder.decode(lossy ? unread.subarray(firstCodePoint(unread)) : unread, { stream: true }),
      lossy,
    };
  }

  get spillPath(): string | undefined {
    return this.#spill?.path;
  }

  #keepHead(bytes: Buffer): void {
    if (this.#head.length !== this.#totalBytes || this.#head.length >= MAX_HEAD_BYTES) return;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, MAX_HEAD_BYTES - this.#head.length)]);
  }

  /** What lies before the gap is no longer the tail of the stream, and no file holds the whole. */
  #leaveGap(skipped: number): void {
    this.#spill?.withdraw();
    this.#chunks = [];
    this.#windowBytes = 0;
    this.#totalBytes += skipped;
  }

  #dropOldest(): void {
    if (this.#chunks.length === 1) this.#chunks = [this.#chunks[0]!.subarray(-this.#maxBytes)];
    else this.#chunks.shift();
    this.#windowBytes = this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Skips the rest of a character whose beginning was cut off. */
function firstCodePoint(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && (bytes[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
