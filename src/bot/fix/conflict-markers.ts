import type { TreeChange } from '../../github/tree/types.ts';

const OPENING = /^<{7} /m;
const CLOSING = /^>{7} /m;

/** Whether one of the files still holds what git puts around lines that do not merge. Pure. */
export function hasConflictMarkers(changes: readonly TreeChange[], paths: readonly string[]): boolean {
  return changes.some(
    (change) => change.kind !== 'deleted' && paths.includes(change.path) && marksConflict(textOf(change.bytes)),
  );
}

/** Pure. */
export function marksConflict(text: string): boolean {
  return OPENING.test(text) && CLOSING.test(text);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
