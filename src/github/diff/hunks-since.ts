import type { DiffFile, Hunk } from './types.ts';

/**
 * The part of a pull request's diff that pushes since an earlier head touched (R6): of each file the hunks near a line
 * that changed since, whole. What the base got meanwhile is in neither. `since` is the diff between the two heads. Pure.
 */
export function hunksSince(files: readonly DiffFile[], since: readonly DiffFile[]): DiffFile[] {
  const changed = new Map(since.map((file) => [file.path, file]));
  return files.flatMap((file) => {
    const pushed = changed.get(file.path);
    if (!pushed) return [];
    if (file.hunks.length === 0 || pushed.hunks.length === 0) return [file];
    const hunks = file.hunks.filter((hunk) => pushed.hunks.some((other) => overlaps(hunk, other)));
    return hunks.length > 0 ? [{ ...file, hunks }] : [];
  });
}

/** Both count lines of the newer head. */
function overlaps(a: Hunk, b: Hunk): boolean {
  return a.newStart < b.newStart + Math.max(1, b.newLines) && b.newStart < a.newStart + Math.max(1, a.newLines);
}
