import type { Hunk } from './types.ts';

export function countLines(hunks: Hunk[]): { additions: number; deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const { lines } of hunks) {
    for (const { kind } of lines) {
      if (kind === 'add') additions++;
      else if (kind === 'delete') deletions++;
    }
  }
  return { additions, deletions };
}
