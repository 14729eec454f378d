import { fenced } from './fenced.ts';
import { makeInert } from './inert.ts';
import { withoutMarks } from '../markers.ts';

/** GitHub refuses bodies over 65,536 characters. */
const BODY_LIMIT = 65_536;
/** Kept free for markers and for a host that counts otherwise than we do. */
const BODY_MARGIN = 1_024;
export const BODY_MAX = BODY_LIMIT - BODY_MARGIN;

export type BodyPart =
  /** Our own Markdown, taken as it is. */
  | { readonly kind: 'markdown'; readonly text: string }
  /** The model's Markdown: made inert. `lead` is our own Markdown before it, which stays and goes with it. */
  | { readonly kind: 'said'; readonly text: string; readonly lead?: string }
  /** Folded output or code, shown as it is in a code block; `summary` is our own Markdown. */
  | { readonly kind: 'folded'; readonly summary: string; readonly text: string; readonly language?: string };

/**
 * Joins parts into a body GitHub takes (P6). Where it would be too long, the longest folded part is cut in its middle
 * first, then the longest said part at its end, then whole parts go; each cut says so. Nothing is cut inside a fence, a tag
 * or a character.
 */
export function assembleBody(parts: readonly BodyPart[], max = BODY_MAX): string {
  let current = parts.map((part) => boundSaid(part, max));
  const rendered = new Map<BodyPart, string>();
  for (let body = render(current, rendered); ; body = render(current, rendered)) {
    const excess = strictLength(body) - max;
    if (excess <= 0) return body;
    const shorter = shorten(current, excess) ?? dropLast(current, excess);
    if (!shorter) return [...body].slice(0, max / 2).join('');
    current = shorter;
  }
}

/** No more is made inert than could be shown. */
function boundSaid(part: BodyPart, max: number): BodyPart {
  return part.kind === 'said' && part.text.length > max ? { ...part, text: cutEnd(part.text, max) } : part;
}

/** The strictest plausible count: UTF-16 units, a newline as two. */
export function strictLength(body: string): number {
  return body.length + body.split('\n').length - 1;
}

/** Making text inert is slow, so each part is rendered once. */
function render(parts: readonly BodyPart[], rendered: Map<BodyPart, string>): string {
  for (const part of parts) if (!rendered.has(part)) rendered.set(part, renderPart(part));
  return parts
    .map((part) => rendered.get(part))
    .filter(Boolean)
    .join('\n\n');
}

function renderPart(part: BodyPart): string {
  switch (part.kind) {
    case 'markdown':
      return part.text;
    case 'said':
      return [part.lead, withoutMarks(makeInert(part.text))].filter(Boolean).join('\n\n');
    case 'folded':
      return `<details><summary>${part.summary}</summary>\n\n${fenced(part.text, part.language)}\n\n</details>`;
  }
}

/** Parts below this are left alone: cutting them gains nothing and loses their point. */
const SHORTEST_CUT = 400;

function shorten(parts: readonly BodyPart[], excess: number): BodyPart[] | undefined {
  const longest = (kind: BodyPart['kind']) =>
    parts.reduce(
      (best, part, i) => (part.kind === kind && part.text.length > (parts[best]?.text.length ?? 0) ? i : best),
      -1,
    );
  const folded = longest('folded');
  const said = longest('said');
  const at = (parts[folded]?.text.length ?? 0) > SHORTEST_CUT ? folded : said;
  const part = parts[at];
  if (!part || part.text.length <= SHORTEST_CUT) return undefined;
  const keep = Math.max(SHORTEST_CUT / 2, part.text.length - excess - 200);
  const text = part.kind === 'folded' ? cutMiddle(part.text, keep) : cutEnd(part.text, keep);
  return parts.map((old, i) => (i === at ? { ...old, text } : old));
}

const DROPPED: BodyPart = { kind: 'markdown', text: '[… parts left out here; the session log has all of it …]' };

/** Many short parts: the last go, as many as are too much. Our own Markdown stays, it holds the markers. */
function dropLast(parts: readonly BodyPart[], excess: number): BodyPart[] | undefined {
  const kept = [...parts];
  let at = kept.length;
  for (let dropped = 0; dropped <= excess;) {
    at = kept.findLastIndex((part) => part.kind !== 'markdown');
    if (at < 0) break;
    dropped += kept[at]?.text.length ?? 0;
    kept.splice(at, 1);
  }
  if (kept.length === parts.length) return undefined;
  const ours = kept.filter((part) => part !== DROPPED);
  return ours.toSpliced(Math.max(at, 0), 0, DROPPED);
}

function cutMiddle(text: string, keep: number): string {
  const head = wholeCharacters(text.slice(0, Math.ceil(keep / 2)));
  const tail = wholeCharacters(text.slice(text.length - Math.floor(keep / 2)));
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut; the session log has all of it …]\n${tail}`;
}

function cutEnd(text: string, keep: number): string {
  return `${wholeCharacters(text.slice(0, keep))}\n\n[… cut here; the session log has all of it …]`;
}

/** Drops the half of a surrogate pair that a cut left at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
