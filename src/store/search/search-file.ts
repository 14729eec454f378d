import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Beside the store, whichever that is. It may be deleted at any time: the next search makes it anew. */
export function searchFileIn(dataDir: string): string {
  return join(dataDir, 'search.sqlite');
}

/** It holds the words of all sessions, those that are to be erased included. */
export async function removeSearchFile(dataDir: string): Promise<void> {
  const path = searchFileIn(dataDir);
  await Promise.all(['', '-wal', '-shm'].map((end) => rm(`${path}${end}`, { force: true })));
}
