import type { DiffFile, DiffSide } from './types.ts';

/** The lines GitHub takes a review comment on: all shown ones, context on both sides. */
export function commentableLines(file: Pick<DiffFile, 'hunks'>): Record<DiffSide, Set<number>> {
  const lines: Record<DiffSide, Set<number>> = { LEFT: new Set(), RIGHT: new Set() };
  for (const hunk of file.hunks) {
    for (const { oldLine, newLine } of hunk.lines) {
      if (oldLine !== undefined) lines.LEFT.add(oldLine);
      if (newLine !== undefined) lines.RIGHT.add(newLine);
    }
  }
  return lines;
}
