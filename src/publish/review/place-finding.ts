import type { DiffFile, DiffSide, Hunk } from '../../github/diff/types.ts';
import type { Finding } from './finding.ts';

/** Lines of one hunk on one side that GitHub takes a comment on. */
export interface Place {
  readonly path: string;
  readonly side: DiffSide;
  readonly startLine: number;
  readonly endLine: number;
}

/** A finding with the place it got. Without one it is told in the review's body. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly place: Place | undefined;
  /** The place is not where the finding is: the nearest line that takes a comment. */
  readonly moved: boolean;
  /** Of its path and code, or title. */
  readonly fingerprint?: string | undefined;
}

/**
 * Finds where on the diff a finding can stand (R3): the side is mended where only the other has the line, a range over
 * several hunks keeps its end, a line that takes no comment moves to the nearest one of the same hunk. Pure.
 */
export function placeFinding(finding: Finding, files: readonly DiffFile[]): PlacedFinding {
  const file = files.find((candidate) => candidate.path === finding.path || candidate.previousPath === finding.path);
  if (!file || file.content !== 'text') return { finding, place: undefined, moved: false };
  return (
    placeOn(file, finding, finding.side) ?? placeOn(file, finding, other(finding.side)) ?? placeNear(file, finding)
  );
}

/** The finding at the file and side it is about, where it named a file by its old name or lines by the other side. Pure. */
export function atItsPlace(finding: Finding, files: readonly DiffFile[]): Finding {
  const { place, moved } = placeFinding(finding, files);
  return place && !moved ? { ...finding, path: place.path, side: place.side } : finding;
}

function placeOn(file: DiffFile, finding: Finding, side: DiffSide): PlacedFinding | undefined {
  const hunk = file.hunks.find((candidate) => linesOf(candidate, side).includes(finding.endLine));
  if (!hunk) return undefined;
  const first = linesOf(hunk, side).find((line) => line >= finding.startLine) ?? finding.endLine;
  return { finding, place: { path: file.path, side, startLine: first, endLine: finding.endLine }, moved: false };
}

/** Between two hunks no line takes a comment; inside the stretch of one hunk the nearest shown line does. */
function placeNear(file: DiffFile, finding: Finding): PlacedFinding {
  for (const side of [finding.side, other(finding.side)]) {
    const hunk = file.hunks.find((candidate) => touches(candidate, side, finding));
    const line = hunk && nearest(linesOf(hunk, side), finding.endLine);
    if (line !== undefined) {
      return { finding, place: { path: file.path, side, startLine: line, endLine: line }, moved: true };
    }
  }
  return { finding, place: undefined, moved: false };
}

function touches(hunk: Hunk, side: DiffSide, { startLine, endLine }: Finding): boolean {
  const [start, count] = side === 'LEFT' ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
  return count > 0 && startLine < start + count && endLine >= start;
}

function nearest(lines: readonly number[], wanted: number): number | undefined {
  return lines.reduce<number | undefined>(
    (best, line) => (best === undefined || Math.abs(line - wanted) < Math.abs(best - wanted) ? line : best),
    undefined,
  );
}

function linesOf(hunk: Hunk, side: DiffSide): number[] {
  return hunk.lines.flatMap((line) => (side === 'LEFT' ? line.oldLine : line.newLine) ?? []);
}

function other(side: DiffSide): DiffSide {
  return side === 'LEFT' ? 'RIGHT' : 'LEFT';
}
