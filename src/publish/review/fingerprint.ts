import { createHash } from 'node:crypto';

/** A line of code without the blanks that moves and formatters change; empty ones are left out before. */
export interface CodeLine {
  readonly line: number;
  readonly text: string;
}

/** Where a stretch of code stands, and what it is known by on other heads. */
export interface CodeMark {
  /** 16 hex digits of path and normalised code; without code, of path and normalised title. */
  readonly fingerprint: string;
  /** How many lines of code it spans; 0 where it is known by its title. */
  readonly span: number;
}

/** Lines that say less than this are known by their neighbours, too: a brace alone is everywhere. */
const TELLING_CHARS = 6;

/** The lines of a file as they count for fingerprints. Pure. */
export function codeLines(lines: readonly CodeLine[]): CodeLine[] {
  return lines
    .map(({ line, text }) => ({ line, text: text.trim().replaceAll(/\s+/g, ' ') }))
    .filter(({ text }) => text !== '');
}

export function linesOfText(text: string): CodeLine[] {
  return text.split('\n').map((line, at) => ({ line: at + 1, text: line }));
}

/**
 * What lines are recognised by on later heads (R6): their path and code, not their numbers. Undefined where there is no
 * code at them. `code` comes from `codeLines`. Pure.
 */
export function markOf(
  path: string,
  { startLine, endLine }: { startLine: number; endLine: number },
  code: readonly CodeLine[],
): CodeMark | undefined {
  const first = code.findIndex(({ line }) => line >= startLine);
  const last = code.findLastIndex(({ line }) => line <= endLine);
  if (first < 0 || last < first) return undefined;
  const own = code.slice(first, last + 1);
  const isTelling =
    own
      .map(({ text }) => text)
      .join('')
      .replaceAll(/\W/g, '').length >= TELLING_CHARS;
  const shown = isTelling ? own : code.slice(Math.max(0, first - 1), last + 2);
  return { fingerprint: hash(path, shown), span: shown.length };
}

/** What a finding without code at its lines is recognised by: numbers in its title may be those of lines. Pure. */
export function markOfTitle(path: string, title: string): CodeMark {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return { fingerprint: hash(path, [{ line: 0, text: `title: ${words.join(' ')}` }]), span: 0 };
}

/** The lines at which the marked code stands now; undefined where it is gone. Pure. */
export function locate(
  path: string,
  { fingerprint, span }: CodeMark,
  code: readonly CodeLine[],
): { startLine: number; endLine: number } | undefined {
  if (span === 0) return undefined;
  for (let at = 0; at + span <= code.length; at++) {
    if (hash(path, code.slice(at, at + span)) === fingerprint) {
      return { startLine: code[at]!.line, endLine: code[at + span - 1]!.line };
    }
  }
  return undefined;
}

function hash(path: string, lines: readonly CodeLine[]): string {
  const text = [path, ...lines.map((one) => one.text)].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
