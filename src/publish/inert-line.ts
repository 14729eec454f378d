import { defuse, LIVE } from './defuse.ts';

/** Makes plain text harmless where we place it inside one line of our own Markdown: a title, a path, an error. */
export function inertInline(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  const escaped = oneLine.replaceAll('&', '&amp;').replaceAll(/[\\`*_{}[\]<>|~!]/g, '\\$&');
  return defuse(escaped).replace(/^([/#>+-]|\d+[.)])/, '&#8203;$1');
}

/** Makes one line of plain text harmless where Markdown is not read: the title of a pull request, a commit message. */
export function inertPlain(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  return oneLine
    .replaceAll(LIVE, '$&\u200b')
    .replaceAll(/\/(?:issues|pull|pulls|discussions|commit)\/(?=\w)/gi, '$&\u200b')
    .replace(/^\//, '\u2215');
}
