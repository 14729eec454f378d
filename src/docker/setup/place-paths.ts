import { execFile } from 'node:child_process';
import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** `into` says what the target is: a folder of ours, in which parents are made, or a work tree, in which they must be. */
export interface Placing {
  readonly from: string;
  readonly to: string;
  readonly into: 'folder' | 'work tree';
  readonly how: 'move' | 'copy';
}

/**
 * Brings what is at these relative paths from one folder to another, with links as links, owners and modes. Both may
 * hold links that somebody planted: none is followed, and what would replace or pass through anything is left out.
 */
export async function placePaths(paths: readonly string[], { from, to, into, how }: Placing): Promise<void> {
  for (const path of paths.map((path) => path.replace(/\/+$/, ''))) {
    if (into === 'folder') await mkdir(join(to, dirname(path)), { recursive: true });
    if (!(await hasRealParents(from, path)) || !(await hasRealParents(to, path))) continue;
    const [source, target] = [join(from, path), join(to, path)];
    if (await exists(target)) continue;
    if (how === 'move') await rename(source, target);
    else await promisify(execFile)('cp', ['-a', '--reflink=auto', '--no-target-directory', '--', source, target]);
  }
}

async function hasRealParents(root: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  if (path === '' || parts.some((part) => ['', '.', '..', '.git'].includes(part))) return false;
  for (let depth = 1; depth < parts.length; depth += 1) {
    const stats = await lstat(join(root, ...parts.slice(0, depth))).catch(() => undefined);
    if (!stats?.isDirectory()) return false;
  }
  return true;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
