import type { TreeChange } from '../../../github/tree/types.ts';

/** Paths at which two readings of one tree, each told as changes to the same commit, are not the same. Pure. */
export function changedSince(before: readonly TreeChange[], after: readonly TreeChange[]): string[] {
  const then = new Map(before.map((change) => [change.path, stateOf(change)]));
  const now = new Map(after.map((change) => [change.path, stateOf(change)]));
  const paths = new Set([...then.keys(), ...now.keys()]);
  return [...paths].filter((path) => then.get(path) !== now.get(path)).sort();
}

function stateOf(change: TreeChange): string {
  return change.kind === 'deleted' ? 'deleted' : `${change.mode} ${change.sha}`;
}
