import { setTimeout as sleep } from 'node:timers/promises';
import { isHandedBack } from '../bot/job/handed-back.ts';
import type { Delivery, Inbox } from '../store/records.ts';
import type { GitHubEvent } from '../triggers/reading.ts';

export interface Handling {
  /** To be called once nothing of the delivery is left to decide: then the next one is read (T8). */
  readonly decided: () => void;
  /** Ends what runs, as handed back. */
  readonly signal: AbortSignal;
}

export interface ActorOptions {
  readonly inbox: Inbox;
  /** Resolves when all that the delivery asked for is done. Rejects as handed back, or to be called again. */
  readonly handle: (event: GitHubEvent, handling: Handling) => Promise<void>;
  readonly log: (message: string, error?: unknown) => void;
  /** Between a failure and the next try; doubled with each. */
  readonly pauses: { readonly firstMs: number; readonly longestMs: number };
  /** Aborted when nothing may begin any more; what runs goes on. */
  readonly paused: AbortSignal;
  readonly signal: AbortSignal;
}

/** A delivery that so many processes began and none came back from is given up: it takes them down. */
const MAX_ATTEMPTS = 25;
/** What fails so often in one process holds up nobody behind it any more. */
const MAX_WAITED_FOR = 25;
/** GitHub or a disk may be away for hours: with the longest pauses this is a day. */
const MAX_FAILURES = 1_440;

/**
 * Works the deliveries of one session's subjects: read in order of arrival, one after the other, while turns that earlier
 * ones started still run. Done is what ran to its end.
 */
export class SessionActor {
  readonly #options: ActorOptions;
  /** Keys under which there is something new, and the position behind which to look for it. */
  readonly #wanted = new Map<string, number>();
  readonly #lastRead = new Map<string, number>();
  readonly #inHand = new Map<string, { readonly key: string; readonly work: Promise<void> }>();
  #news = Promise.withResolvers<void>();

  constructor(options: ActorOptions) {
    this.#options = options;
  }

  /** There is something new under this key: at that position, or behind all that was read. */
  look(key: string, position = Infinity): void {
    const from = this.#wanted.get(key) ?? this.#lastRead.get(key) ?? 0;
    this.#wanted.set(key, Math.min(from, position - 1));
    this.#news.resolve();
  }

  /** How many deliveries of a key it is working on. */
  countOf(key: string): number {
    return [...this.#inHand.values()].filter((one) => one.key === key).length;
  }

  /** Until nothing is left, or the signal ends it. */
  async run(): Promise<void> {
    const { signal, paused } = this.#options;
    const stop = () => this.#news.resolve();
    for (const end of [signal, paused]) end.addEventListener('abort', stop, { once: true });
    while (!this.#isEnding) {
      for (const delivery of await this.#readNew()) await this.#take(delivery);
      if (this.#wanted.size > 0) continue;
      if (this.#inHand.size === 0) break;
      await this.#news.promise;
      this.#news = Promise.withResolvers();
    }
    for (const end of [signal, paused]) end.removeEventListener('abort', stop);
    await Promise.all([...this.#inHand.values()].map(({ work }) => work));
  }

  get #isEnding(): boolean {
    return this.#options.signal.aborted || this.#options.paused.aborted;
  }

  async #readNew(): Promise<Delivery[]> {
    const { inbox, log } = this.#options;
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    try {
      const found = await Promise.all(
        wanted.map(async ([key, after]) => this.#follow(key, await inbox.pending(key, after))),
      );
      const fresh = found.flat().filter(({ id }) => !this.#inHand.has(id));
      return fresh.toSorted((a, b) => a.position - b.position);
    } catch (error) {
      log('the inbox could not be read', error);
      await this.#rest(this.#options.pauses.firstMs);
      return [];
    }
  }

  /** Behind what was found there may be more. */
  #follow(key: string, found: Delivery[]): Delivery[] {
    const last = found.at(-1)?.position;
    if (last === undefined) return found;
    this.#lastRead.set(key, Math.max(last, this.#lastRead.get(key) ?? 0));
    this.look(key, last + 1);
    return found;
  }

  /** Resolves when later deliveries may be read. */
  async #take(delivery: Delivery): Promise<void> {
    if (this.#isEnding) return;
    const { promise: decided, resolve } = Promise.withResolvers<void>();
    const work = this.#workUntilDone(delivery, resolve).finally(() => {
      this.#inHand.delete(delivery.id);
      resolve();
      this.#news.resolve();
    });
    this.#inHand.set(delivery.id, { key: delivery.key, work });
    await decided;
  }

  async #workUntilDone(delivery: Delivery, decided: () => void): Promise<void> {
    const { inbox, log, pauses } = this.#options;
    const { id, name } = delivery;
    let attempt: number | undefined;
    for (let failures = 0; !this.#isEnding;) {
      try {
        attempt ??= await inbox.begin(id);
        return await this.#attempt(delivery, attempt, failures, decided);
      } catch (error) {
        if (this.#isEnding) return;
        if (!isHandedBack(error)) log(`${name} ${id} could not be handled`, error);
        failures += 1;
        if (failures >= MAX_WAITED_FOR) decided();
        const pause = Math.min(pauses.firstMs * 2 ** (failures - 1), pauses.longestMs);
        await this.#rest(pause);
      }
    }
  }

  /** An attempt 0 is one of a delivery that is done: the answer of the database that said so was lost. */
  async #attempt(delivery: Delivery, attempt: number, failures: number, decided: () => void): Promise<void> {
    const { inbox, handle, log, signal } = this.#options;
    const { id, name, payload } = delivery;
    if (attempt === 0) return;
    if (attempt > MAX_ATTEMPTS) log(`${name} ${id} is given up after ${MAX_ATTEMPTS} attempts`);
    else if (failures > MAX_FAILURES) log(`${name} ${id} is given up after ${failures} failures`);
    else if (payload === null) log(`${name} ${id} is given up: its payload cannot be read`);
    else await handle({ name, delivery: id, payload }, { decided, signal });
    decided();
    await inbox.done(id);
  }

  async #rest(ms: number): Promise<void> {
    const { paused, signal } = this.#options;
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, paused]) }).catch(() => {});
  }
}
