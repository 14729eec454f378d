import type { DiffFile, Hunk } from '../../github/diff/types.ts';
import { longerTicks } from '../markdown/fenced.ts';

/** A review comment on the head, of which the body replaces the lines from `start_line` (or `line`) to `line`. */
export interface Suggestion {
  readonly path: string;
  readonly side: 'RIGHT';
  readonly start_line?: number;
  readonly line: number;
  readonly body: string;
}

/** More than this nobody takes one by one. */
const MAX_SUGGESTIONS = 20;

/**
 * A change to a pull request's head as suggestions that its author can commit (U5), where all of it fits inside what the
 * pull request's diff shows; else undefined: a part of a change is none. `change` comes without context lines. Pure.
 */
export function planSuggestions(
  change: readonly DiffFile[],
  shown: readonly DiffFile[],
): readonly Suggestion[] | undefined {
  const planned = change.flatMap((file) => {
    const place = shown.find(({ path }) => path === file.path);
    if (!place || !isPlainEdit(file)) return [undefined];
    return file.hunks.map((hunk) => suggestionOf(file.path, hunk, place));
  });
  const fitting = planned.filter((one) => one !== undefined);
  return fitting.length === planned.length && fitting.length <= MAX_SUGGESTIONS ? fitting : undefined;
}

function isPlainEdit({ status, content, oldMode, newMode, hunks }: DiffFile): boolean {
  const isText = hunks.every(({ lines }) => lines.every(({ text, noNewline }) => !noNewline && !text.includes('\r')));
  return status === 'modified' && content === 'text' && oldMode === newMode && isText;
}

/** An insertion has no line of its own to replace, so it takes the shown one before it, or the file's first, along. */
function suggestionOf(path: string, hunk: Hunk, place: DiffFile): Suggestion | undefined {
  const { oldStart, oldLines } = hunk;
  const [start, end] =
    oldLines > 0 ? [oldStart, oldStart + oldLines - 1] : [Math.max(oldStart, 1), Math.max(oldStart, 1)];
  const kept = shownLines(place, start, end);
  if (!kept) return undefined;
  const added = hunk.lines.flatMap(({ kind, text }) => (kind === 'add' ? [text] : []));
  const lines = oldLines > 0 ? added : oldStart === 0 ? [...added, ...kept] : [...kept, ...added];
  return { path, side: 'RIGHT', ...(start < end && { start_line: start }), line: end, body: blockOf(lines) };
}

/** The texts of these lines of the head, where one hunk of the pull request shows them all. */
function shownLines({ hunks }: DiffFile, start: number, end: number): string[] | undefined {
  for (const { lines } of hunks) {
    const found = lines.filter(({ newLine }) => newLine !== undefined && newLine >= start && newLine <= end);
    if (found.length === end - start + 1) return found.map(({ text }) => text);
  }
  return undefined;
}

function blockOf(lines: readonly string[]): string {
  const fence = longerTicks(lines.join('\n')).padEnd(3, '`');
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}
