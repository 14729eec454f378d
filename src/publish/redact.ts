/** Shapes of keys that are never published, whoever they belong to. Sources: the vendors' own documentation of prefixes. */
const KEY_SHAPES = [
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}\b/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

const MASK = '***';
/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 8;

/** Knows the secrets of this process and takes them, and anything shaped like a key, out of text (P8). */
export class Redactor {
  readonly #known = new Set<string>();

  constructor(secrets: Iterable<string | undefined> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** A token minted later (an installation's) is added when it is. Each line of a private key counts alone too. */
  add(secret: string | undefined): void {
    for (const part of [secret, ...(secret?.includes('\n') ? secret.split('\n') : [])]) {
      const value = part?.trim();
      if (value && value.length >= SHORTEST_SECRET && !value.startsWith('-----')) this.#known.add(value);
    }
  }

  /** For the log and the model: only what is certainly a secret of ours. */
  redactKnown(text: string): string {
    let out = text;
    for (const secret of this.#known) out = out.replaceAll(secret, MASK);
    return out;
  }

  /** For everything that leaves: comments, reviews, commits, branches, summaries, transcripts, operator logs. */
  redact(text: string): string {
    return KEY_SHAPES.reduce((out, shape) => out.replaceAll(shape, MASK), this.redactKnown(text));
  }

  holdsKnownSecret(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes).toString('latin1');
    return [...this.#known].some((secret) => text.includes(Buffer.from(secret).toString('latin1')));
  }
}
