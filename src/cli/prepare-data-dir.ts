import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DshError } from '../errors.ts';

/**
 * Makes the data directory where it is missing. Throws `CONFIG_INVALID` for one that cannot be made or written. Made
 * level by level: where a file system takes no new folders at all, Node's recursive `mkdir` never returns.
 */
export async function prepareDataDir(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new DshError(
      `The data directory ${path} cannot be used (${why}).`,
      'CONFIG_INVALID',
      'Set DSH_DATA_DIR to a folder that this user may write to.',
      { cause },
    );
  }
}

async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Throws `ENOTDIR` for what is there and is none. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isDirectory()) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
  return found !== undefined;
}
