import { printablePath } from './printable-path.ts';

export interface GrepMatch {
  path: string;
  line: number;
  text: string;
}

/** A search that meets a binary file says so between its records. */
const REMARK =
  /^(?:WARNING: stopped searching binary file|(?:[^\0\n]*: )?binary file matches|Binary file )[^\0\n]*\n/gim;
/** `path NUL line : text LF`; a path may hold anything but a NUL. */
const RECORD = /([^\0]+)\0(\d+):([^\n]*)(?:\n|$)/g;

/** The matches in raw search output, their texts cut to `maxLineBytes`. */
export function parseMatches(raw: string, maxLineBytes: number): GrepMatch[] {
  return Array.from(raw.replace(REMARK, '').matchAll(RECORD), ([, path = '', line, text = '']) => ({
    path: path.replace(/^\.\//, ''),
    line: Number(line),
    text: cutBytes(text.replace(/\r$/, ''), maxLineBytes),
  }));
}

/** One block a file, in the order of the matches. */
export function groupMatches(matches: readonly GrepMatch[]): string {
  return [...Map.groupBy(matches, ({ path }) => path)]
    .map(([path, group]) => [`${printablePath(path)}:`, ...group.map(matchLine)].join('\n'))
    .join('\n\n');
}

function matchLine({ line, text }: GrepMatch): string {
  return `  Line ${line}: ${text}`;
}

function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const kept = Buffer.from(text)
    .toString('utf8', 0, maxBytes)
    .replace(/\uFFFD+$/, '');
  return `${kept} [... ${bytes - Buffer.byteLength(kept)} more bytes]`;
}
