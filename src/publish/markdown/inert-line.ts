import { defuse, LIVE } from './defuse.ts';

/** In the address of an issue, pull request or commit: whole, it would make a back-reference there. */
const ADDRESS = /\/(?:issues|pull|pulls|discussions|commit)\/(?=\w)/gi;

/** Makes plain text harmless where we place it inside one line of our own Markdown: a title, a path, an error. */
export function inertInline(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  const escaped = oneLine.replaceAll('&', '&amp;').replaceAll(/[\\`*_{}[\]<>|~!]/g, '\\$&');
  return defuse(escaped)
    .replaceAll(ADDRESS, '$&\u200b')
    .replace(/^([/#>+-]|\d+[.)])/, '&#8203;$1');
}

/** Makes one line of plain text harmless where Markdown is not read: the title of a pull request, a commit message. */
export function inertPlain(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  return oneLine.replaceAll(LIVE, '$&\u200b').replaceAll(ADDRESS, '$&\u200b').replace(/^\//, '\u2215');
}
