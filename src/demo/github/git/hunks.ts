import type { Side } from '../records.ts';

interface DiffLine {
  kind: ' ' | '+' | '-';
  left: number;
  right: number;
  /** GitHub's own count: lines below the first `@@` of the file. */
  position: number;
}

interface Hunk {
  lines: DiffLine[];
  /** The hunk's text, header first; `texts[i + 1]` belongs to `lines[i]`. */
  texts: string[];
}

export interface WantedPlace {
  line?: number | undefined;
  side?: Side | undefined;
  startLine?: number | undefined;
  startSide?: Side | undefined;
  position?: number | undefined;
}

export interface Place {
  line: number;
  side: Side;
  startLine: number | null;
  startSide: Side | null;
  position: number;
  /** The hunk from its header to the line, as GitHub shows it above a comment. */
  hunk: string;
}

export type Misplaced = 'line' | 'start_line' | 'other_hunk' | 'order';

/** Where a review comment lands in a file's patch, or which part of its place GitHub refuses. */
export function findPlace(patch: string, wanted: WantedPlace): Place | Misplaced {
  const hunks = parseHunks(patch);
  const end = findLine(hunks, wanted);
  if (!end) return 'line';
  const side = wanted.side ?? (end.line.kind === '-' ? 'LEFT' : 'RIGHT');
  const line = side === 'LEFT' ? end.line.left : end.line.right;
  const place = {
    line,
    side,
    startLine: null,
    startSide: null,
    position: end.line.position,
    hunk: textUpTo(end.hunk, end.line),
  };
  if (wanted.startLine === undefined) return place;

  const startSide = wanted.startSide ?? side;
  const start = findLine(hunks, { line: wanted.startLine, side: startSide });
  if (!start) return 'start_line';
  if (start.hunk !== end.hunk) return 'other_hunk';
  if (start.line.position >= end.line.position) return 'order';
  return { ...place, startLine: wanted.startLine, startSide };
}

function parseHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let left = 0;
  let right = 0;
  patch.split('\n').forEach((text, position) => {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (header) {
      [left, right] = [Number(header[1]), Number(header[2])];
      return void hunks.push({ lines: [], texts: [text] });
    }
    const kind = text[0];
    if (kind !== ' ' && kind !== '+' && kind !== '-') return;
    const hunk = hunks.at(-1)!;
    hunk.texts.push(text);
    hunk.lines.push({ kind, left, right, position });
    if (kind !== '+') left++;
    if (kind !== '-') right++;
  });
  return hunks;
}

function findLine(
  hunks: Hunk[],
  { line, side = 'RIGHT', position }: WantedPlace,
): { hunk: Hunk; line: DiffLine } | undefined {
  const fits = (candidate: DiffLine) => {
    if (line === undefined) return candidate.position === position;
    return side === 'LEFT'
      ? candidate.kind !== '+' && candidate.left === line
      : candidate.kind !== '-' && candidate.right === line;
  };
  for (const hunk of hunks) {
    const found = hunk.lines.find(fits);
    if (found) return { hunk, line: found };
  }
  return undefined;
}

const textUpTo = (hunk: Hunk, line: DiffLine) => hunk.texts.slice(0, hunk.lines.indexOf(line) + 2).join('\n');
