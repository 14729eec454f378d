import type { Context } from '../../harness/kernel/context.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { findPlaces, toLf } from './apply-edit.ts';
import { explainMismatch } from './edit-mismatch.ts';
import type { FsError } from './fs-error.ts';
import type { FsFailureFacts } from './fs-failure.ts';
import type { FsTarget } from './file-system.ts';
import { sessionCwd } from './file-tool-args.ts';
import { nearestPaths } from './nearest-paths.ts';

const MAX_PLACES = 10;

export interface FailedEdit {
  target: FsTarget;
  path: string;
  oldString: string;
  newString: string;
}

/** Looks again at the file to say why an edit did not fit; a file that cannot be read any more explains nothing. */
export async function editHelp(
  ctx: Context,
  exec: ToolExecution,
  { code }: FsError,
  { target, path, oldString, newString }: FailedEdit,
): Promise<Partial<FsFailureFacts>> {
  if (code === 'FS_NOT_FOUND') return { nearest: await nearestPaths(ctx.fs, sessionCwd(exec), path, exec.signal) };
  if (code !== 'FS_EDIT_NOT_FOUND' && code !== 'FS_AMBIGUOUS_EDIT') return {};
  const text = await ctx.fs.readText(target, exec.signal).catch(() => undefined);
  if (text === undefined) return {};
  return code === 'FS_AMBIGUOUS_EDIT'
    ? { places: placesIn(toLf(text), toLf(oldString)) }
    : { mismatch: explainMismatch(text, oldString, newString) };
}

function placesIn(text: string, oldString: string): { lines: number[]; count: number } {
  const places = findPlaces(text, oldString);
  return { lines: places.slice(0, MAX_PLACES).map((at) => text.slice(0, at).split('\n').length), count: places.length };
}
