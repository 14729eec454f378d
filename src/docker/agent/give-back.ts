import { chmod, constants, lchown, lstat, open, readdir } from 'node:fs/promises';

const SET_ID_BITS = 0o6000;
const PERMISSIONS = 0o7777;
const SLASH = Buffer.from('/');

/**
 * Makes a folder and all in it belong to `owner` again and takes set-id bits away. What is so already is not touched, so
 * that its version stays; links are changed themselves. Answers how many entries were changed.
 */
export async function giveBack(folder: string, owner: number): Promise<number> {
  return (await mend(Buffer.from(folder), owner)) + (await giveBackBelow(folder, owner));
}

/**
 * The same, without the folder itself. Each folder is held open and named by its descriptor: a tree may be deeper than
 * any path is long, and other containers of the session may put links in the place of folders meanwhile.
 */
export async function giveBackBelow(folder: string | Buffer, owner: number): Promise<number> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const held = await unlessGone(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (!held) return 0;
  const here = Buffer.from(`/proc/self/fd/${held.fd}`);
  let changed = 0;
  try {
    for (const entry of await readdir(here, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([here, SLASH, entry.name]);
      changed += await mend(path, owner);
      if (entry.isDirectory()) changed += await giveBackBelow(path, owner);
    }
  } finally {
    await held.close();
  }
  return changed;
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

/** Other containers of the session may remove things meanwhile, or put others in their place. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw cause;
  }
}
