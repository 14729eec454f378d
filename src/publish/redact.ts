/** Shapes of keys that are never published, whoever they belong to. Sources: the vendors' own documentation of prefixes. */
const KEY_SHAPES = [
  /\bgh[pousr]_[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  // With a digit: words joined by hyphens may begin like that, too. Each look ahead is bounded, for long rows of such words.
  /\bsk-(?=[A-Za-z_-]{0,100}\d)[A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  // Only from the first `eyJ` of a row of such characters: from each, the time would grow with its square.
  /\beyJ(?<=(?<![\w-])(?:(?!\beyJ)[\w-])*eyJ)[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

const MASK = '***';
/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 8;

/** Knows the secrets of this process and takes them, and anything shaped like a key, out of text (P8). */
export class Redactor {
  /** Longest first: of two secrets, one may begin with the other. */
  #known: readonly string[] = [];

  constructor(secrets: Iterable<string | undefined> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** A token minted later (an installation's) is added when it is. Each line of a private key counts alone, too, and what JSON makes of it. */
  add(secret: string | undefined): void {
    const parts = [secret, ...(secret?.split(/\n|\\n/) ?? [])].map((part) => part?.trim() ?? '');
    const values = parts.filter((value) => value.length >= SHORTEST_SECRET && !value.startsWith('-----'));
    const spellings = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    this.#known = [...new Set([...this.#known, ...spellings])].sort((a, b) => b.length - a.length);
  }

  /** Longest first. */
  get known(): readonly string[] {
    return this.#known;
  }

  /** For the log and the model: only what is certainly a secret of ours. */
  redactKnown(text: string): string {
    return this.#known.reduce((out, secret) => out.replaceAll(secret, MASK), text);
  }

  /**
   * For everything that leaves: comments, reviews, commits, branches, summaries, transcripts, operator logs. Comes before
   * any other change of the text: cut, escaped or made inert, a key is no longer known.
   */
  redact(text: string): string {
    return KEY_SHAPES.reduce((out, shape) => out.replaceAll(shape, MASK), this.redactKnown(text));
  }

  /** Every string in a plain value, however deep. */
  redactAll<T>(value: T): T {
    return this.#redactValue(value) as T;
  }

  #redactValue(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#redactValue(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#redactValue(item)]));
  }

  holdsKnownSecret(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes).toString('latin1');
    return this.#known.some((secret) => text.includes(Buffer.from(secret).toString('latin1')));
  }
}
