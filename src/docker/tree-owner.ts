import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Who gets a tree that belongs to root: no container runs as root. */
const SANDBOX_UID = 10_001;

/** The user that a container must run as to work in the tree. A tree of root is given away first. */
export async function ownTree(tree: string): Promise<number> {
  const { uid } = await lstat(tree);
  if (uid !== 0) return uid;
  await promisify(execFile)('chown', ['-R', '-h', '-P', '--', `${SANDBOX_UID}:${SANDBOX_UID}`, tree]);
  return SANDBOX_UID;
}
