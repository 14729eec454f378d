import { omittedCount } from './retention-notice.ts';
import type { Omitted } from './retention-notice.ts';

/** `kept`: the pushed piece, or some of it, is retained now. `truncated`: the budget has cost something so far. */
export interface PushDecision {
  kept: boolean;
  truncated: boolean;
}

export interface ItemRetention {
  kind: 'head';
  maxItems: number;
}

export interface RetainedItems<T> {
  items: T[];
  truncated: boolean;
  seen: number;
  kept: number;
  omitted: Omitted;
}

/** The first items of a list of any length. A producer may stop at the first that is not kept; the count is then of what it pushed. */
export class ItemRetainer<T> {
  readonly #maxItems: number;
  readonly #items: T[] = [];
  #seen = 0;

  constructor({ maxItems }: ItemRetention) {
    this.#maxItems = maxItems;
  }

  push(item: T): PushDecision {
    this.#seen += 1;
    const kept = this.#items.length < this.#maxItems;
    if (kept) this.#items.push(item);
    return { kept, truncated: this.#isTruncated };
  }

  finish(): RetainedItems<T> {
    const kept = this.#items.length;
    const omitted = omittedCount(this.#seen - kept);
    return { items: [...this.#items], truncated: this.#isTruncated, seen: this.#seen, kept, omitted };
  }

  get #isTruncated(): boolean {
    return this.#seen > this.#items.length;
  }
}
