import { open, rm } from 'node:fs/promises';
import { mayGive } from './private-folder.ts';
import type { SpillFileOwner } from './private-folder.ts';

/** Writes a file that was not there, link or not, for its owner's eyes only. A half-written one is taken away again. */
export async function writePrivateFile(path: string, text: string, { uid, gid }: SpillFileOwner): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (mayGive(uid)) await file.chown(uid, gid);
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
}
