import type { FileDiff } from '../../harness/tools/types.ts';

/** Private result meta of `write` and `edit`. */
export type FsDiffMeta = { diffs: FileDiff[] };

const CONTEXT = 3;
/** Above this the changed middle becomes one hunk instead of a fine comparison. */
const MAX_CELLS = 1_000_000;

/** The changes between two LF texts, one entry a hunk with three lines of context; empty when they are equal. */
export function diffHunks(path: string, before: string, after: string): FileDiff[] {
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  return mergeNear(changedRanges(oldLines, newLines)).map((range) => ({
    path,
    oldText: withContext(oldLines, range.oldFrom, range.oldTo),
    newText: withContext(newLines, range.newFrom, range.newTo),
  }));
}

/** Half-open line ranges, 0-based. */
interface ChangedRange {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function changedRanges(a: string[], b: string[]): ChangedRange[] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const whole = { oldFrom: start, oldTo: a.length - end, newFrom: start, newTo: b.length - end };
  if (whole.oldFrom === whole.oldTo && whole.newFrom === whole.newTo) return [];
  return (whole.oldTo - start) * (whole.newTo - start) > MAX_CELLS ? [whole] : fineRanges(a, b, whole);
}

/** Walks the table of longest common subsequences; each run of differing lines is one range. */
function fineRanges(a: string[], b: string[], { oldFrom, oldTo, newFrom, newTo }: ChangedRange): ChangedRange[] {
  const common = commonLengths(a.slice(oldFrom, oldTo), b.slice(newFrom, newTo));
  const ranges: ChangedRange[] = [];
  let i = oldFrom;
  let j = newFrom;
  while (i < oldTo || j < newTo) {
    const range = { oldFrom: i, oldTo: i, newFrom: j, newTo: j };
    while ((i < oldTo || j < newTo) && !(i < oldTo && j < newTo && a[i] === b[j])) {
      const down = i < oldTo ? common(i + 1 - oldFrom, j - newFrom) : -1;
      const right = j < newTo ? common(i - oldFrom, j + 1 - newFrom) : -1;
      if (down >= right) i += 1;
      else j += 1;
    }
    if (i > range.oldFrom || j > range.newFrom) ranges.push({ ...range, oldTo: i, newTo: j });
    while (i < oldTo && j < newTo && a[i] === b[j]) {
      i += 1;
      j += 1;
    }
  }
  return ranges;
}

function commonLengths(a: string[], b: string[]): (i: number, j: number) => number {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  return (i, j) => table[i * width + j]!;
}

/** Changes whose contexts would touch share a hunk. */
function mergeNear(ranges: ChangedRange[]): ChangedRange[] {
  return ranges.reduce<ChangedRange[]>((merged, range) => {
    const last = merged.at(-1);
    if (!last || range.oldFrom - last.oldTo > 2 * CONTEXT) return [...merged, range];
    return [...merged.slice(0, -1), { ...last, oldTo: range.oldTo, newTo: range.newTo }];
  }, []);
}

function withContext(lines: string[], from: number, to: number): string {
  return lines.slice(Math.max(0, from - CONTEXT), to + CONTEXT).join('');
}
