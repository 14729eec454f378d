import { matchesGlob } from 'node:path';
import type { DiffFile } from '../../github/diff/types.ts';

/** Parts a diff by the patterns of `review.ignore` (R1). A renamed file is what it is now. Pure. */
export function splitIgnored(files: readonly DiffFile[], patterns: readonly string[]) {
  const isIgnored = (file: DiffFile) => patterns.some((pattern) => matchesGlob(file.path, pattern));
  return { reviewed: files.filter((file) => !isIgnored(file)), ignored: files.filter(isIgnored) };
}
