import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Who gets a tree that belongs to root: no container runs as root. */
const SANDBOX_UID = 10_001;

/** The user that a container must run as to work in the tree. A tree of root is given away first. */
export async function ownTree(tree: string): Promise<number> {
  const { uid } = await lstat(tree);
  if (uid !== 0) return uid;
  await giveTo(tree, SANDBOX_UID);
  return SANDBOX_UID;
}

/** Makes a directory and all in it belong to a user, where we may. Links are changed themselves. */
export async function giveTo(directory: string, uid: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await promisify(execFile)('chown', ['-R', '-h', '-P', '--', `${uid}:${uid}`, directory]);
}

/** Lets everybody read a directory and all in it, where we may: a strict umask keeps our own files to ourselves. */
export async function letRead(directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await promisify(execFile)('chmod', ['-R', '--', 'a+rX', directory]);
}
