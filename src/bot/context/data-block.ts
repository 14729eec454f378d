import { randomBytes } from 'node:crypto';
import { breakOwnTags } from './own-tags.ts';
import { revealHiddenText, showInvisible } from './reveal-hidden-text.ts';
import type { HiddenCounts } from './reveal-hidden-text.ts';

export interface OutsideText {
  /** A `diff` is code, `setup` and `check-log` what programs printed: they are shown as they are; the others are Markdown. */
  readonly kind: 'issue' | 'pull-request' | 'comment' | 'review-comment' | 'diff' | 'setup' | 'check-log';
  readonly title?: string;
  readonly author?: string;
  readonly association?: string;
  readonly path?: string;
  readonly text: string;
}
export interface DataBlock {
  readonly text: string;
  /** Invisible characters that were taken out. */
  readonly removed: HiddenCounts;
}

/**
 * Wraps text from outside in one block that the text cannot close (PR56): the id is drawn at random, again if the text
 * holds it; it is stored with the event, so a replay gives the same bytes.
 */
export function dataBlock(outside: OutsideText, drawId: () => string = randomId): DataBlock {
  const { text, removed, shown } = readable(outside);
  const title =
    outside.title === undefined ? '' : `title: ${revealHiddenText(outside.title).text.replaceAll(/\s+/g, ' ')}\n`;
  const content = breakOwnTags(title + text);
  let id = drawId();
  while (content.includes(id)) id = drawId();
  const attributes = [
    ['kind', outside.kind],
    ['author', outside.author],
    ['association', outside.association],
    ['path', outside.path],
    ['trust', 'none'],
    ['hidden', shown ? 'shown' : undefined],
  ] as const;
  const written = attributes.flatMap(([name, value]) =>
    value === undefined ? [] : ` ${name}="${escapeAttribute(value)}"`,
  );
  return { text: `<data-${id}${written.join('')}>\n${content}\n</data-${id}>`, removed };
}

/** What programs print, and code. */
const SHOWN_AS_IS: ReadonlySet<OutsideText['kind']> = new Set(['diff', 'setup', 'check-log']);

function readable({ kind, text }: OutsideText) {
  if (!SHOWN_AS_IS.has(kind)) return revealHiddenText(text);
  return { text: showInvisible(text), removed: { zeroWidth: 0, bidi: 0, tags: 0 }, shown: false };
}

function randomId(): string {
  return randomBytes(6).toString('hex');
}

function escapeAttribute(value: string): string {
  return showInvisible(value).replaceAll(/[<>"&\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}
