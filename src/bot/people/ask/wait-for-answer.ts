import type { HumanRequest } from '../../../store/records.ts';
import { lookAtRequest } from '../answer/look-at-request.ts';
import type { LookingPlace } from '../answer/look-at-request.ts';
import type { Rules } from '../answer/judge-answer.ts';
import type { PeopleParts } from '../people-parts.ts';

export interface WaitOptions {
  readonly place: LookingPlace;
  readonly rules: Rules;
  readonly parts: PeopleParts;
  /** Milliseconds between two looks at what no webhook tells; each is twice the one before. */
  readonly polling: { readonly firstMs: number; readonly longestMs: number };
  /** Registers a listener for news of requests; returns its undo. */
  readonly onNews: (listener: () => void) => () => void;
  readonly signal: AbortSignal;
}

/** GitHub tells no reactions: they are looked for as often as is fair (A4). */
export const POLLING = { firstMs: 15_000, longestMs: 120_000 } as const;

/** Resolves with the request once it is settled, by whomever. Rejects with the signal's reason. */
export async function waitForAnswer(request: HumanRequest, options: WaitOptions): Promise<HumanRequest> {
  const { place, rules, parts, polling, onNews, signal } = options;
  const news = new News(signal);
  const forget = onNews(news.wake);
  try {
    for (let pause: number = polling.firstMs; ; pause = Math.min(pause * 2, polling.longestMs)) {
      const now = parts.now().getTime();
      await news.within(Math.max(0, Math.min(pause, request.expiresAt - now)));
      const settled = await settledOf(request.id, parts);
      if (settled) return settled;
      const at = parts.now().getTime();
      await lookAtRequest(request, { place, rules, at, signal }, parts).catch((error: unknown) => {
        signal.throwIfAborted();
        parts.log(`reactions to ${request.id} could not be read`, error);
      });
      const found = await settledOf(request.id, parts);
      if (found) return found;
    }
  } finally {
    forget();
    news.end();
  }
}

async function settledOf(id: string, { requests }: PeopleParts): Promise<HumanRequest | undefined> {
  const request = await requests.get(id);
  return request?.state === 'pending' ? undefined : request;
}

/** A pause that ends early when there is news, and with an abort. */
class News {
  readonly #signal: AbortSignal;
  #arrived = Promise.withResolvers<void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.wake, { once: true });
  }

  readonly wake = (): void => this.#arrived.resolve();

  async within(ms: number): Promise<void> {
    this.#signal.throwIfAborted();
    const timer = setTimeout(this.wake, ms);
    await this.#arrived.promise;
    clearTimeout(timer);
    this.#arrived = Promise.withResolvers();
    this.#signal.throwIfAborted();
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.wake);
  }
}
