interface Window {
  startedAt: number;
  commands: number;
  isTold: boolean;
}

const WINDOW_MS = 10 * 60_000;
const MAX_KEPT = 10_000;

/** Counts what each person commands in each repository within some minutes (X12). Of this process only. */
export class CommandLimit {
  readonly #now: () => Date;
  readonly #windows = new Map<string, Window>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** How many it are with this one. */
  count(repository: number, person: number): number {
    const key = `${repository} ${person}`;
    const now = this.#now().getTime();
    const known = this.#windows.get(key);
    const window = known && now - known.startedAt < WINDOW_MS ? known : { startedAt: now, commands: 0, isTold: false };
    window.commands += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > MAX_KEPT) this.#windows.delete(this.#windows.keys().next().value!);
    return window.commands;
  }

  /** Whether this person knows already that there is a limit. */
  isTold(repository: number, person: number): boolean {
    return this.#windows.get(`${repository} ${person}`)?.isTold ?? false;
  }

  tell(repository: number, person: number): void {
    const window = this.#windows.get(`${repository} ${person}`);
    if (window) window.isTold = true;
  }
}
