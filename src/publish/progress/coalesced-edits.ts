export interface CoalescedEditsOptions {
  /** Least time between two edits in milliseconds; it grows by half with each edit, up to a minute. */
  readonly everyMs: number;
  readonly draw: () => string;
  readonly write: (body: string) => Promise<void>;
  readonly log: (message: string, error: unknown) => void;
}

const LONGEST_WAIT_MS = 60_000;

/** Edits one comment no more often than GitHub and people bear (P4): changes in between are drawn by the next edit. */
export class CoalescedEdits {
  readonly #options: CoalescedEditsOptions;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;
  #written = '';
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CoalescedEditsOptions) {
    this.#options = options;
    this.#waitMs = options.everyMs;
  }

  request(): void {
    if (this.#timer || this.#isFinished) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#waitMs = Math.min(this.#waitMs * 1.5, LONGEST_WAIT_MS);
      this.#writing = this.#writing.then(() => this.#edit());
    }, this.#waitMs);
    this.#timer.unref();
  }

  /** Writes the last state, over which no later change draws; here a failure is the caller's to know. */
  async finish(body: string): Promise<void> {
    this.#isFinished = true;
    clearTimeout(this.#timer);
    await this.#writing;
    if (body !== this.#written) await this.#options.write(body);
  }

  /** Writes nothing more. */
  leave(): void {
    this.#isFinished = true;
    clearTimeout(this.#timer);
  }

  /** A failed edit never fails the turn: the next one carries its news. */
  async #edit(): Promise<void> {
    // What was asked for before the end, and had to wait for an edit under way.
    if (this.#isFinished) return;
    try {
      const body = this.#options.draw();
      if (body === this.#written) return;
      await this.#options.write(body);
      this.#written = body;
    } catch (error) {
      this.#options.log('the progress comment could not be edited', error);
    }
  }
}
