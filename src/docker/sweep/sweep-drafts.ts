import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../remove-folder.ts';
import { DRAFT } from '../setup/setup-cache.ts';
import { workerState } from './worker-boot.ts';

/** Folder below setup's own in which it works, one folder a run. */
export const SETUP_TREES = '.trees';
/** No setup takes so long. */
const OLD_MS = 24 * 3_600_000;

/** Removes trees and results of setups that their workers did not live to finish. Answers how many. */
export async function sweepDrafts(setupFolder: string, now: Date): Promise<number> {
  const trees = await pathsIn(join(setupFolder, SETUP_TREES), '');
  const repositories = await pathsIn(setupFolder, '');
  const drafts = await Promise.all(repositories.map((folder) => pathsIn(folder, DRAFT)));
  const all = [...trees.map(named('')), ...drafts.flat().map(named(DRAFT))];
  const left = await Promise.all(all.map(async (draft) => ((await isLeftOver(draft, now)) ? [draft.path] : [])));
  for (const path of left.flat()) await removeFolder(path);
  return left.flat().length;
}

async function pathsIn(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix))
    .map(({ name }) => join(folder, name));
}

interface Draft {
  readonly path: string;
  readonly boot: string;
}

function named(prefix: string): (path: string) => Draft {
  return (path) => ({ path, boot: path.slice(path.lastIndexOf('/') + 1 + prefix.length, path.lastIndexOf('.')) });
}

async function isLeftOver({ path, boot }: Draft, now: Date): Promise<boolean> {
  const state = workerState(boot);
  if (state !== 'unknown') return state === 'dead';
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && now.getTime() - stats.mtimeMs > OLD_MS;
}
