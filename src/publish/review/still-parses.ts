import { parseDocument } from 'yaml';

/** More than this is not parsed. */
const MAX_CHARS = 500_000;

type Parser = (text: string) => boolean;

const PARSERS: readonly [RegExp, Parser][] = [
  [/\.json$/i, (text) => succeeds(() => JSON.parse(text))],
  [/\.ya?ml$/i, (text) => succeeds(() => parseDocument(text).errors.forEach(raise))],
];
/** In prose a bracket means nothing. */
const PROSE = /\.(md|markdown|txt|rst|adoc)$/i;

/**
 * Whether a file can still be read once lines of it are replaced (R4): by a parser where one is at hand, else by whether
 * the new lines open and close what the old ones did. A file that could not be read before proves nothing. Pure.
 */
export function stillParses(
  path: string,
  { before, after }: { before: string; after: string },
  { old, suggested }: { old: readonly string[]; suggested: readonly string[] },
): boolean {
  const parser = PARSERS.find(([pattern]) => pattern.test(path))?.[1];
  if (parser && after.length <= MAX_CHARS) return !parser(before) || parser(after);
  return PROSE.test(path) || sameBalance(old, suggested);
}

function raise(error: Error): never {
  throw error;
}

function succeeds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const PAIRS = ['()', '[]', '{}'] as const;

function sameBalance(old: readonly string[], suggested: readonly string[]): boolean {
  const [a, b] = [withoutQuotes(old), withoutQuotes(suggested)];
  return PAIRS.every(([open, close]) => surplus(a, open!, close!) === surplus(b, open!, close!));
}

function surplus(text: string, open: string, close: string): number {
  return text.split(open).length - text.split(close).length;
}

/** Of one line each: quotes over lines cannot be told here. */
function withoutQuotes(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '')).join('\n');
}
