import { randomBytes } from 'node:crypto';
import { revealHiddenText } from './reveal-hidden-text.ts';

export interface OutsideText {
  readonly kind: 'issue' | 'pull-request' | 'comment' | 'review-comment' | 'diff' | 'file' | 'ci-log';
  readonly title?: string;
  readonly author?: string;
  readonly association?: string;
  readonly path?: string;
  readonly text: string;
}

/**
 * Wraps text from outside in one block that the text cannot close (PR56): the id is drawn at random, again if the text
 * holds it; it is stored with the event, so a replay gives the same bytes.
 */
export function dataBlock(outside: OutsideText, drawId: () => string = randomId): string {
  const revealed = revealHiddenText(outside.text);
  const title = outside.title === undefined ? '' : `title: ${revealHiddenText(outside.title).text}\n`;
  const content = (title + revealed.text).replaceAll(/<(?=\/?(?:data-[0-9a-f]{12}|host-note)\b)/gi, '');
  let id = drawId();
  while (content.includes(id)) id = drawId();
  const attributes = [
    ['kind', outside.kind],
    ['author', outside.author],
    ['association', outside.association],
    ['path', outside.path],
    ['trust', 'none'],
    ['hidden', revealed.shown ? 'shown' : undefined],
  ] as const;
  const written = attributes.flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${escapeAttribute(value)}"`));
  return `<data-${id}${written.join('')}>\n${content}\n</data-${id}>`;
}

function randomId(): string {
  return randomBytes(6).toString('hex');
}

function escapeAttribute(value: string): string {
  return value.replaceAll(/[<>"&\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}
