const WINDOW = 2000;
const MIN_REPEATS = 20;
const LONGEST_UNIT = WINDOW / MIN_REPEATS;

/** Tells when the last 2,000 characters of a stream are one unit repeated 20 times or more. */
export class RepetitionDetector {
  #tail = '';
  #pending = '';

  /** Looks every 100 characters or so, which keeps long streams cheap. */
  push(text: string): boolean {
    this.#pending += text;
    return this.#pending.length >= LONGEST_UNIT && this.isRepeating();
  }

  isRepeating(): boolean {
    this.#tail = (this.#tail + this.#pending).slice(-WINDOW);
    this.#pending = '';
    return this.#tail.length === WINDOW && hasShortPeriod(this.#tail);
  }
}

function hasShortPeriod(text: string): boolean {
  for (let unit = 1; unit <= LONGEST_UNIT; unit++) {
    if (text.startsWith(text.slice(unit))) return true;
  }
  return false;
}
