import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SessionId } from '../harness/session/types.ts';

const HOUR_MS = 60 * 60_000;

/** Signs links to transcripts, and what else a browser brings back. `secret` is one that only this deployment knows. */
export class TranscriptLinks {
  readonly #key: Buffer;
  readonly #now: () => Date;

  constructor(secret: string, now: () => Date) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'dsh transcript links', 32));
    this.#now = now;
  }

  /**
   * Path and query that show one session for an hour to whoever has them. For mails and private places only: never in
   * the comment of a public repository.
   */
  pathOf(session: SessionId): string {
    const until = this.inAnHour();
    const query = new URLSearchParams({ until: String(until), signature: this.sign('link', session, until) });
    return `${this.pagePath(session)}?${query}`;
  }

  /** The same page, for who signs in. */
  pagePath(session: SessionId): string {
    return `/sessions/${encodeURIComponent(session)}`;
  }

  /** Whether a query is that of a link to this session that has not run out. */
  opens(session: SessionId, query: URLSearchParams): boolean {
    return this.isSigned('link', session, Number(query.get('until')), query.get('signature') ?? '');
  }

  /** A signature for an hour at most; `until` in epoch milliseconds. */
  sign(purpose: string, text: string, until: number): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, text, until]))
      .digest('base64url');
  }

  isSigned(purpose: string, text: string, until: number, signature: string): boolean {
    const now = this.#now().getTime();
    if (!Number.isSafeInteger(until) || until <= now || until > now + HOUR_MS) return false;
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.sign(purpose, text, until))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  inAnHour(): number {
    return this.#now().getTime() + HOUR_MS;
  }
}
