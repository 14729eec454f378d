import type { DiffLine, Hunk } from './types.ts';

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/**
 * Reads hunks from the lines of one file's patch, starting at the first `@@`. Only `\n` ends a line: a `\r` is
 * content. A hunk ends when its header's counts are used up, so content that looks like a header is content. Stops
 * at the first line that is no hunk and answers its index.
 */
export function parseHunks(lines: string[], start = 0): { hunks: Hunk[]; end: number } {
  const hunks: Hunk[] = [];
  let at = start;
  for (;;) {
    const header = HEADER.exec(lines[at] ?? '');
    if (!header) return { hunks, end: at };
    const hunk = emptyHunk(header);
    at = readLines(lines, at + 1, hunk);
    hunks.push(hunk);
  }
}

function emptyHunk([, oldStart, oldLines = '1', newStart, newLines = '1', section = '']: string[]): Hunk {
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    section,
    lines: [],
  };
}

function readLines(lines: string[], start: number, hunk: Hunk): number {
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  const [oldEnd, newEnd] = [oldLine + hunk.oldLines, newLine + hunk.newLines];
  let at = start;
  for (; at < lines.length && (oldLine < oldEnd || newLine < newEnd || lines[at]!.startsWith('\\')); at++) {
    const line = lines[at]!;
    if (line.startsWith('\\')) {
      const last = hunk.lines.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    const read = readLine(line, oldLine, newLine);
    if (read.oldLine !== undefined) oldLine++;
    if (read.newLine !== undefined) newLine++;
    hunk.lines.push(read);
  }
  return at;
}

/** An empty line is context whose blank a mail program or an API took away. */
function readLine(line: string, oldLine: number, newLine: number): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'add', text, newLine };
  if (line.startsWith('-')) return { kind: 'delete', text, oldLine };
  return { kind: 'context', text, oldLine, newLine };
}
