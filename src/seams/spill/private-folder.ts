import { chown, lstat, mkdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { HarnessError } from '../../harness/llm/errors.ts';

const OTHERS = 0o077;

/** Whoever owns the root gets what is made below it: a sandbox may run as another user than its host. */
export interface SpillFileOwner {
  uid: number;
  gid: number;
}

/**
 * Makes a directory that only its owner can enter, or finds it. Its name can be foretold, so one that somebody else
 * has put there is refused.
 */
export async function openPrivateFolder(path: string, root: string): Promise<SpillFileOwner> {
  const { uid, gid } = await stat(root);
  const isNew = await makeFolder(path);
  if (isNew && mayGive(uid)) await chown(path, uid, gid);
  if (!isPrivate(await lstat(path), uid)) {
    throw new HarnessError(`${path} is not a private directory`, 'SPILL_NOT_PRIVATE');
  }
  return { uid, gid };
}

/** Only root can give away what it made. */
export function mayGive(uid: number): boolean {
  return process.getuid?.() === 0 && uid !== 0;
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    return false;
  }
}

function isPrivate(found: Stats, rootOwner: number): boolean {
  const owners = [rootOwner, process.getuid?.()];
  return found.isDirectory() && (found.mode & OTHERS) === 0 && owners.includes(found.uid);
}
