import type { PlacedFinding } from './place-finding.ts';
import { stillParses } from './still-parses.ts';

interface Head {
  readonly headFile: (path: string) => string | undefined;
}

/** A suggestion as it would stand in its file: the lines, and the file before and after. */
export interface AppliedSuggestion {
  readonly path: string;
  readonly mended: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The suggestion of a finding if it would apply well (R4), else undefined: it stands on its own lines of the head, `code`
 * equals those lines, and applying it changes something, repeats no line next to the range and leaves a file that can be
 * read. A missing indent of the first line is restored. Nothing at all takes the lines away. Pure.
 */
export function provenSuggestion(placed: PlacedFinding, head: Head): string | undefined {
  return appliedSuggestion(placed, head)?.mended;
}

/** The same with the file that it makes. Pure. */
export function appliedSuggestion(
  { finding, place, moved }: PlacedFinding,
  { headFile }: Head,
): AppliedSuggestion | undefined {
  const { suggestion, code } = finding;
  if (suggestion === undefined || code === undefined || !place || moved || place.side !== 'RIGHT') return undefined;
  if (place.startLine !== finding.startLine || place.endLine !== finding.endLine) return undefined;
  const lines = headFile(place.path)?.replaceAll('\r\n', '\n').split('\n');
  const old = lines?.slice(place.startLine - 1, place.endLine);
  if (!lines || !old || old.join('\n').trim() !== normal(code).trim()) return undefined;

  const mended = restoreIndent(normal(suggestion), old);
  const suggested = suggestion === '' ? [] : mended.split('\n');
  const [before, after] = [lines, lines.toSpliced(place.startLine - 1, old.length, ...suggested)].map((file) =>
    file.join('\n'),
  ) as [string, string];
  const changed = suggested.length !== old.length || mended !== old.join('\n');
  if (!changed || repeatsNeighbour(suggested, lines, place)) return undefined;
  if (!stillParses(place.path, { before, after }, { old, suggested })) return undefined;
  return { path: place.path, mended, before, after };
}

function normal(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

/** Models often leave out the indent of the first line only. */
function restoreIndent(suggestion: string, old: readonly string[]): string {
  const indent = /^[ \t]*/.exec(old[0] ?? '')?.[0] ?? '';
  const [first = '', ...rest] = suggestion.split('\n');
  if (indent === '' || /^[ \t]/.test(first) || first.trim() === '') return suggestion;
  return [indent + first, ...rest].join('\n');
}

/** A suggestion that begins with the line above its range, or ends with the one below, would double it when applied. */
function repeatsNeighbour(
  suggested: readonly string[],
  lines: readonly string[],
  { startLine, endLine }: { startLine: number; endLine: number },
): boolean {
  const above = lines[startLine - 2];
  const below = lines[endLine];
  const old = lines.slice(startLine - 1, endLine);
  return (
    (isTelling(above) && suggested[0] === above && old[0] !== above) ||
    (isTelling(below) && suggested.at(-1) === below && old.at(-1) !== below)
  );
}

/** A lone brace next to the range says nothing in front; behind, it is the classic doubled brace. */
function isTelling(line: string | undefined): line is string {
  return line !== undefined && line.trim() !== '';
}
