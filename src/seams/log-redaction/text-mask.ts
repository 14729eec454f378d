import { MASK } from './known-secrets.ts';
import type { KnownSecrets } from './known-secrets.ts';

/** From `from` up to, not including, `to`. `isTold`: its mask was passed on before. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly isTold: boolean;
}

/**
 * Masks known secrets in a text that comes in pieces. What may be the beginning of a secret waits: never more than one
 * character less than the longest. Where secrets overlap, one mask stands for all they cover, however the text is cut.
 */
export class TextMask {
  readonly #secrets: KnownSecrets;
  #held = '';
  /** Length of the part of what is held that belongs to a secret whose mask is out already. */
  #covered = 0;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  /** What can be passed on now. */
  push(text: string): string {
    const all = this.#held + text;
    return this.#pass(all, holdFrom(all, this.#secrets.known));
  }

  /** What was held to the last. */
  end(): string {
    return this.#pass(this.#held, this.#held.length);
  }

  #pass(all: string, until: number): string {
    let out = '';
    let at = 0;
    for (const span of this.#spansOf(all)) {
      if (span.from >= until && !span.isTold) break;
      out += all.slice(at, span.from) + (span.isTold ? '' : MASK);
      at = span.to;
    }
    if (at < until) out += all.slice(at, until);
    this.#held = all.slice(until);
    this.#covered = Math.max(0, at - until);
    return out;
  }

  /** In order, those that overlap as one. */
  #spansOf(all: string): Span[] {
    const told = this.#covered > 0 ? [{ from: 0, to: this.#covered, isTold: true }] : [];
    const { known } = this.#secrets;
    if (!known.some((secret) => all.includes(secret))) return told;
    const found = known.flatMap((secret) => occurrencesOf(secret, all));
    const spans: Span[] = [];
    for (const span of [...told, ...found].sort((a, b) => a.from - b.from || Number(b.isTold) - Number(a.isTold))) {
      const last = spans.at(-1);
      if (!last || span.from >= last.to) spans.push(span);
      else spans[spans.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    }
    return spans;
  }
}

export function maskText(text: string, secrets: KnownSecrets): string {
  if (!secrets.known.some((secret) => text.includes(secret))) return text;
  const mask = new TextMask(secrets);
  return mask.push(text) + mask.end();
}

function occurrencesOf(secret: string, text: string): Span[] {
  const spans: Span[] = [];
  for (let from = text.indexOf(secret); from >= 0; from = text.indexOf(secret, from + 1)) {
    spans.push({ from, to: from + secret.length, isTold: false });
  }
  return spans;
}

/** The first place from which on the text may go on as a secret. */
function holdFrom(text: string, known: readonly string[]): number {
  let from = text.length;
  for (const secret of known) {
    for (let at = Math.max(0, text.length - secret.length + 1); at < from; at += 1) {
      if (text[at] === secret[0] && secret.startsWith(text.slice(at))) from = at;
    }
  }
  return from;
}
