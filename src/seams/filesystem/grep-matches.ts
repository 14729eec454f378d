import { printablePath } from './printable-path.ts';

export interface GrepMatch {
  path: string;
  line: number;
  text: string;
}

/** Records `path NUL line : text LF`, as the search prints them; a path may hold anything but a NUL. */
export function parseMatches(raw: string, maxLineBytes: number): GrepMatch[] {
  const record = /([^\0]+)\0(\d+):([^\n]*)(?:\n|$)/g;
  return Array.from(raw.matchAll(record), ([, path = '', line, text = '']) => ({
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
