import { realpathSync } from 'node:fs';

/** Where the file system really leads: links are followed before `..` is applied. What cannot be resolved keeps its spelling. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
