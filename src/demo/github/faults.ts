export interface Fault {
  /** Which calls: all when left out. `path` is without host and `/api/v3`. */
  match?: { method?: string; path?: string | RegExp };
  /** How many calls it takes before it stops; default 1. */
  times?: number;
  latencyMs?: number;
  /** Answered instead of doing anything, or, with `applied`, although it was done. */
  status?: number;
  applied?: boolean;
  body?: unknown;
  headers?: Record<string, string>;
  /** `before`: the connection dies and nothing was done; `after`: it was done, and the answer is lost. */
  drop?: 'before' | 'after';
}

const contentWrites = /\/(issues|comments|replies|reviews|pulls|reactions)$/;

/** What goes wrong on purpose. */
export class Faults {
  /** Added to every call. */
  latencyMs = 0;
  /** How long an installation token lives; GitHub says one hour. */
  tokenLifetimeMs = 3_600_000;
  readonly #now: () => Date;
  readonly #faults: Fault[] = [];
  #secondary:
    | { writesLeft: number; afterWrites: number; retryAfterSeconds: number; content: boolean; until?: number }
    | undefined;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Adds one fault; the answer takes it back. */
  inject(fault: Fault): () => void {
    const own = { times: 1, ...fault };
    this.#faults.push(own);
    return () => {
      own.times = 0;
    };
  }

  /** Refuses with the secondary limit once `afterWrites` writes have passed, until `retryAfterSeconds` have gone by; then once more counts. */
  secondaryLimit({
    afterWrites,
    retryAfterSeconds,
    content = false,
  }: {
    afterWrites: number;
    retryAfterSeconds: number;
    content?: boolean;
  }): void {
    this.#secondary = { writesLeft: afterWrites, afterWrites, retryAfterSeconds, content };
  }

  clear(): void {
    this.latencyMs = 0;
    this.#faults.length = 0;
    this.#secondary = undefined;
  }

  /** The fault for this call, used up by asking. */
  take(method: string, path: string): Fault | undefined {
    const fault = this.#faults.find((candidate) => candidate.times! > 0 && matches(candidate, method, path));
    if (fault) fault.times!--;
    return fault ?? this.#secondaryFault(method, path);
  }

  #secondaryFault(method: string, path: string): Fault | undefined {
    const limit = this.#secondary;
    if (!limit || method === 'GET' || (limit.content && !contentWrites.test(path))) return undefined;
    const now = this.#now().getTime();
    if (limit.until !== undefined && now >= limit.until) {
      limit.until = undefined;
      limit.writesLeft = limit.afterWrites;
    }
    if (limit.writesLeft-- > 0) return undefined;
    limit.until ??= now + limit.retryAfterSeconds * 1000;
    return secondaryRefusal(Math.max(1, Math.ceil((limit.until - now) / 1000)));
  }
}

function matches({ match }: Fault, method: string, path: string): boolean {
  if (match?.method && match.method !== method) return false;
  if (match?.path === undefined) return true;
  return typeof match.path === 'string' ? match.path === path : match.path.test(path);
}

function secondaryRefusal(seconds: number): Fault {
  return {
    status: 403,
    headers: { 'retry-after': String(seconds) },
    body: {
      message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      documentation_url:
        'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
    },
  };
}
