import type { BigIntStats } from 'node:fs';
import type { FileFacts, FileType } from './protocol.ts';

/** The version changes with the content even where size and modification time are put back. */
export function factsOf(stats: BigIntStats): FileFacts {
  const version = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
  return { type: typeOf(stats), size: Number(stats.size), version };
}

function typeOf(stats: BigIntStats): FileType {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
