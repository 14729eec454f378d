import type { Clock } from '../../../src/github/clock.ts';

/** Time that passes only by sleeping, and then at once. */
export class FakeClock implements Clock {
  readonly slept: number[] = [];
  #nowMs = Date.parse('2026-01-01T00:00:00Z');

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.advance(ms);
  }
}
