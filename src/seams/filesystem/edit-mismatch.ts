import { findPlaces, toLf } from './apply-edit.ts';
import { numberedLines } from './numbered-lines.ts';
import { similarRegion } from './similar-region.ts';

/** Why an exact text was not found, and up to 20 numbered lines of the place it probably meant. */
export interface EditMismatch {
  cause?: string;
  region: string[];
}

const MAX_REGION_LINES = 20;

/** Recognises the usual slips of a model that copies text. All texts may use any line ending. */
export function explainMismatch(fileText: string, oldString: string, newString: string): EditMismatch {
  const text = toLf(fileText);
  const wanted = toLf(oldString);
  const copied = copySlip(text, wanted);
  if (copied) return { cause: copied.cause, region: regionAt(text, copied.meant) };

  const lines = text.split('\n');
  const region = similarRegion(lines, trimBlankEnd(wanted.split('\n')));
  const shown = region
    ? numberedLines(lines, region.first, Math.min(region.last, region.first + MAX_REGION_LINES - 1))
    : [];
  const blanks = region && blankSlip(lines.slice(region.first - 1, region.last), wanted);
  const cause = blanks ?? alreadyApplied(text, toLf(newString));
  return { ...(cause && { cause }), region: shown };
}

interface CopySlip {
  cause: string;
  meant: string;
}

function copySlip(text: string, wanted: string): CopySlip | undefined {
  const unnumbered = withoutLineNumbers(wanted);
  if (unnumbered !== undefined && text.includes(unnumbered)) {
    return { cause: 'line numbers were copied with the text', meant: unnumbered };
  }
  const unescaped = wanted.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  if (unescaped !== wanted && text.includes(unescaped)) {
    return { cause: 'line breaks or quotes were escaped with a backslash', meant: unescaped };
  }
  return undefined;
}

function withoutLineNumbers(wanted: string): string | undefined {
  const lines = wanted.split('\n');
  const numbered = /^\s*\d+(?:: ?|\||\t|→)/;
  if (!lines.every((line) => line === '' || numbered.test(line)) || !numbered.test(lines[0] ?? '')) return undefined;
  return lines.map((line) => line.replace(numbered, '')).join('\n');
}

function blankSlip(found: readonly string[], wanted: string): string | undefined {
  const lines = trimBlankEnd(wanted.split('\n'));
  const same = (change: (line: string) => string) =>
    lines.every((line, at) => change(line) === change(found[at] ?? ''));
  if (!same((line) => line.trim())) return undefined;
  if (same((line) => line.trimEnd())) return 'blanks at the end of lines differ';
  return mixesTabs(found, lines) ? 'tabs and blanks were exchanged' : 'the indentation differs';
}

function mixesTabs(found: readonly string[], wanted: readonly string[]): boolean {
  const tabs = (lines: readonly string[]) => lines.some((line) => /^\s*\t/.test(line));
  return tabs(found) !== tabs(wanted);
}

/** What is shorter may stand anywhere. */
const TELLING_CHARS = 10;

function alreadyApplied(text: string, replacement: string): string | undefined {
  if (replacement.trim().length < TELLING_CHARS || !text.includes(replacement)) return undefined;
  return 'new_string is already there, so the edit seems to have been applied';
}

function regionAt(text: string, meant: string): string[] {
  const [place = 0] = findPlaces(text, meant);
  const first = text.slice(0, place).split('\n').length;
  const count = Math.min(meant.split('\n').length, MAX_REGION_LINES);
  return numberedLines(text.split('\n'), first, first + count - 1);
}

function trimBlankEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, Math.max(1, last + 1));
}
