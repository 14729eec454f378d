import { chmod, lchown, lstat, readdir } from 'node:fs/promises';

const SET_ID_BITS = 0o6000;
const PERMISSIONS = 0o7777;
const SLASH = Buffer.from('/');

/**
 * Makes all of a folder belong to `owner` again and takes set-id bits away. What is so already is not touched, so that
 * its version stays; links are changed themselves. Answers how many entries were changed.
 */
export async function giveBack(root: string, owner: number): Promise<number> {
  const folders = [Buffer.from(root)];
  let changed = await mend(folders[0]!, owner);
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of await entriesOf(folder)) {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      changed += await mend(path, owner);
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return changed;
}

async function entriesOf(folder: Buffer) {
  return (await unlessGone(readdir(folder, { withFileTypes: true, encoding: 'buffer' }))) ?? [];
}

/** Names are bytes: one that is no UTF-8 is given back as well. */
async function mend(path: Buffer, owner: number): Promise<number> {
  const stats = await unlessGone(lstat(path));
  if (!stats) return 0;
  const hasSetId = !stats.isSymbolicLink() && (stats.mode & SET_ID_BITS) !== 0;
  if (stats.uid !== owner) await unlessGone(lchown(path, owner, owner));
  if (hasSetId) await unlessGone(chmod(path, stats.mode & PERMISSIONS & ~SET_ID_BITS));
  return stats.uid !== owner || hasSetId ? 1 : 0;
}

/** Other containers of the session may remove things meanwhile. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw cause;
  }
}
