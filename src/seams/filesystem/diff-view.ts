import type { DiffResultView, FileDiff, ToolResult } from '../../harness/tools/types.ts';

/** The diffs a mutation left in its result meta; older or failed results may have none. */
export function diffResultView({ meta, isError }: ToolResult): DiffResultView | undefined {
  if (isError || typeof meta !== 'object' || meta === null || !('diffs' in meta)) return undefined;
  const { diffs } = meta;
  return Array.isArray(diffs) && diffs.every(isFileDiff) ? { card: 'diff', diffs } : undefined;
}

function isFileDiff(value: unknown): value is FileDiff {
  if (typeof value !== 'object' || value === null) return false;
  const { path, oldText, newText } = value as Partial<Record<keyof FileDiff, unknown>>;
  return typeof path === 'string' && typeof newText === 'string' && (oldText === null || typeof oldText === 'string');
}
