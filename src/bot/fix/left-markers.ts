import type { TreeChange } from '../../github/tree/types.ts';
import { hasConflictMarkers, marksConflict } from './conflict-markers.ts';
import type { Fix } from './fix-state.ts';
import type { Workplace } from '../job/job-kind.ts';
import { readBaseFile } from '../context/read-base-files.ts';

/**
 * Files in which the change leaves conflict markers that were not there before. None where the whole conflict is left by
 * the model: then the work goes out as it was before it (U3).
 */
export async function leftMarkers(
  { checkout, signal }: Workplace,
  changes: readonly TreeChange[],
  { conflict }: Pick<Fix, 'conflict'>,
): Promise<string[]> {
  if (conflict && hasConflictMarkers(changes, conflict.paths)) return [];
  const base = { gitDir: checkout.gitDir, sha: checkout.headSha, signal };
  const marked: string[] = [];
  for (const change of changes) {
    if (!hasConflictMarkers([change], [change.path])) continue;
    const before = await readBaseFile(base, change.path);
    if (before === undefined || !marksConflict(before)) marked.push(change.path);
  }
  return marked;
}

const SHOWN_PATHS = 10;

/** What the model is told. Pure. */
export function markersLeft(paths: readonly string[]): string {
  return `Conflict markers stand in ${shown(paths)}. Resolve each, so that both intents hold, run the tests, then call \`submit_result\` again.`;
}

/** What people are told where they stay. Pure. */
export function markedNotes(paths: readonly string[]): string[] {
  return paths.length > 0 ? [`Conflict markers were left in ${shown(paths)}: resolve them before you merge.`] : [];
}

function shown(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  return `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`;
}
