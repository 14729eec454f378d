import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK_BYTES = 512;
/** What a file costs a disk besides its content, which may be empty. */
export const FILE_BYTES = 4_096;

/** `isWhole` is false where something could not be looked at: it is too deep for a path, or its owner locked it. */
export interface ChangedBytes {
  readonly bytes: number;
  readonly isWhole: boolean;
}

/**
 * Bytes on disk of what was made or changed in a tree since a moment: the kernel alone sets the time that tells. Looks
 * no further than `enough`. Follows no link and leaves the tree's file system for no other; what vanishes meanwhile
 * counts nothing.
 */
export async function bytesChangedSince(tree: string, sinceMs: number, enough: number): Promise<ChangedBytes> {
  const { dev } = await lstat(tree);
  const linked = new Set<number>();
  let bytes = 0;
  let isWhole = true;
  const hide = (cause: NodeJS.ErrnoException) => {
    isWhole &&= VANISHED.includes(cause.code ?? '');
    return undefined;
  };
  const folders = [tree];
  for (let folder = folders.pop(); folder !== undefined && bytes < enough; folder = folders.pop()) {
    for (const name of (await readdir(folder).catch(hide)) ?? []) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(hide);
      if (!stats || stats.dev !== dev) continue;
      if (stats.isDirectory()) folders.push(path);
      if (stats.ctimeMs < sinceMs || (stats.nlink > 1 && !stats.isDirectory() && linked.has(stats.ino))) continue;
      linked.add(stats.ino);
      bytes += Math.max(stats.blocks * BLOCK_BYTES, FILE_BYTES);
    }
  }
  return { bytes, isWhole };
}

const VANISHED = ['ENOENT', 'ENOTDIR'];
