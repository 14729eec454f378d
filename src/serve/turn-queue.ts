import { handedBack } from '../bot/job/handed-back.ts';

/** Whose turn it is. One person and one repository hold only a part of the places (X12). */
export interface QueuedTurn {
  readonly session: string;
  readonly person: number;
  readonly repository: number;
}

export interface QueueLimits {
  /** Turns at once. */
  readonly width: number;
  readonly perPerson: number;
  readonly perRepository: number;
}

interface Waiting {
  readonly turn: QueuedTurn;
  readonly start: () => void;
}

/** Runs turns of one session one after the other in the order they came (T8), and of all sessions as many as the limits let. */
export class TurnQueue {
  readonly #limits: QueueLimits;
  readonly #running = new Set<QueuedTurn>();
  #waiting: Waiting[] = [];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** `onWait` is called where it does not begin at once. Rejects as handed back when `signal` ends the wait. */
  async run<T>(turn: QueuedTurn, work: () => Promise<T>, signal: AbortSignal, onWait?: () => void): Promise<T> {
    if (signal.aborted) throw handedBack(turn.session);
    const isBehind = this.#waiting.some((other) => other.turn.session === turn.session);
    if (isBehind || !this.#mayStart(turn)) {
      onWait?.();
      await this.#place(turn, signal);
    } else this.#running.add(turn);
    try {
      return await work();
    } finally {
      this.#running.delete(turn);
      this.#startNext();
    }
  }

  get size(): number {
    return this.#running.size + this.#waiting.length;
  }

  #place(turn: QueuedTurn, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(handedBack(turn.session));
      this.#startNext();
    };
    const start = () => {
      signal.removeEventListener('abort', leave);
      this.#running.add(turn);
      resolve();
    };
    const waiting = { turn, start };
    this.#waiting.push(waiting);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }

  /** Nobody overtakes a turn of the same session. */
  #startNext(): void {
    const left: Waiting[] = [];
    const sessions = new Set<string>();
    for (const waiting of this.#waiting) {
      const { session } = waiting.turn;
      if (!sessions.has(session) && this.#mayStart(waiting.turn)) waiting.start();
      else left.push(waiting);
      sessions.add(session);
    }
    this.#waiting = left;
  }

  #mayStart(turn: QueuedTurn): boolean {
    const { width, perPerson, perRepository } = this.#limits;
    if (this.#running.size >= width) return false;
    const running = [...this.#running];
    return (
      running.every(({ session }) => session !== turn.session) &&
      running.filter(({ person }) => person === turn.person).length < perPerson &&
      running.filter(({ repository }) => repository === turn.repository).length < perRepository
    );
  }
}
