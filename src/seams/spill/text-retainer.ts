import { ByteHead, ByteTail } from './byte-window.ts';
import { firstWholeStart, lastWholeEnd } from './code-point-border.ts';
import type { PushDecision } from './item-retainer.ts';
import { omittedCount } from './retention-notice.ts';
import type { Omitted } from './retention-notice.ts';

export type TextRetention =
  { kind: 'head' | 'tail'; maxBytes: number } | { kind: 'headTail'; headBytes: number; tailBytes: number };

/** `gapAt` is the place in `text` where bytes are missing; there only if they are. */
export interface RetainedText {
  text: string;
  truncated: boolean;
  omittedBytes: Omitted;
  gapAt?: number;
}

/**
 * The first and the last bytes of a text of any length, in memory of no more than both. Cuts never split a code point.
 * A pushed string is a whole number of code points; pushed bytes may end anywhere.
 */
export class TextRetainer {
  readonly #head: ByteHead;
  readonly #tail: ByteTail;
  readonly #budget: number;
  #seen = 0;

  constructor(retention: TextRetention) {
    const { headBytes, tailBytes } = budgetsOf(retention);
    this.#head = new ByteHead(headBytes);
    this.#tail = new ByteTail(tailBytes);
    this.#budget = headBytes + tailBytes;
  }

  push(chunk: Uint8Array | string): PushDecision {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const inHead = this.#head.push(bytes);
    const inTail = this.#tail.push(bytes.subarray(inHead));
    this.#seen += bytes.length;
    return { kept: inHead + inTail > 0, truncated: this.#isTruncated };
  }

  finish(): RetainedText {
    const [head, tail] = [this.#head.read(), this.#tail.read()];
    if (!this.#isTruncated) {
      return { text: Buffer.concat([head, tail]).toString(), truncated: false, omittedBytes: { kind: 'none' } };
    }
    const before = head.subarray(0, lastWholeEnd(head));
    const after = tail.subarray(firstWholeStart(tail));
    const start = before.toString();
    return {
      text: start + after.toString(),
      truncated: true,
      omittedBytes: omittedCount(this.#seen - before.length - after.length),
      gapAt: start.length,
    };
  }

  get #isTruncated(): boolean {
    return this.#seen > this.#budget;
  }
}

function budgetsOf(retention: TextRetention): { headBytes: number; tailBytes: number } {
  switch (retention.kind) {
    case 'head':
      return { headBytes: retention.maxBytes, tailBytes: 0 };
    case 'tail':
      return { headBytes: 0, tailBytes: retention.maxBytes };
    case 'headTail':
      return retention;
  }
}
