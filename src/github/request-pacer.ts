import type { Clock } from './clock.ts';
import { SlidingWindow } from './sliding-window.ts';

/** GitHub's published limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
export const PUBLISHED_LIMITS = { pointsPerMinute: 900, contentPerMinute: 80, contentPerHour: 500, concurrent: 20 };
export type RequestLimits = typeof PUBLISHED_LIMITS;

const MINUTE_MS = 60_000;

/** `points`: 1 a read, 5 a write. `content`: it makes something people are notified of. */
export interface RequestCost {
  points: number;
  content: boolean;
}

/** Holds requests back until GitHub's limits have room. The limits count per account, so its clients share one pacer. */
export class RequestPacer {
  readonly #clock: Clock;
  readonly #points: SlidingWindow;
  readonly #content: SlidingWindow[];
  readonly #concurrent: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #heldUntil = 0;

  constructor(clock: Clock, limits: RequestLimits = PUBLISHED_LIMITS) {
    this.#clock = clock;
    this.#points = new SlidingWindow(limits.pointsPerMinute, MINUTE_MS);
    this.#content = [
      new SlidingWindow(limits.contentPerMinute, MINUTE_MS),
      new SlidingWindow(limits.contentPerHour, 60 * MINUTE_MS),
    ];
    this.#concurrent = limits.concurrent;
  }

  /** Nothing is sent before `timeMs`: going on under a secondary limit makes GitHub lengthen it. */
  holdUntil(timeMs: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, timeMs);
  }

  async run<T>(cost: RequestCost, send: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#budget(cost, signal);
    await this.#slot();
    try {
      await this.#held(signal);
      return await send();
    } finally {
      this.#free();
    }
  }

  async #budget(cost: RequestCost, signal?: AbortSignal): Promise<void> {
    const windows = cost.content ? [this.#points, ...this.#content] : [this.#points];
    const units = (window: SlidingWindow): number => (window === this.#points ? cost.points : 1);
    for (;;) {
      const now = this.#clock.now().getTime();
      const waitMs = Math.max(...windows.map((window) => window.waitMs(units(window), now)));
      if (waitMs <= 0) {
        for (const window of windows) window.take(units(window), now);
        return;
      }
      await this.#clock.sleep(waitMs, signal);
    }
  }

  async #slot(): Promise<void> {
    if (this.#running < this.#concurrent) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A freed slot goes straight to who waits longest. */
  #free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  async #held(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.#heldUntil - this.#clock.now().getTime();
      if (waitMs <= 0) return;
      await this.#clock.sleep(waitMs, signal);
    }
  }
}
