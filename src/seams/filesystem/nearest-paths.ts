import { basename } from 'node:path/posix';
import { editDistance } from '../../harness/tools/edit-distance.ts';
import type { FileSystem, FsTarget } from './file-system.ts';

const MAX_PATHS = 5;
const MAX_DIRECTORIES = 200;
/** Never what a wrong path meant, and large. */
const SKIPPED = new Set(['.git', '.svn', '.hg', '.bzr', '.jj', '.sl', 'node_modules', '.venv', '__pycache__']);

/**
 * Up to five existing paths below `root` that a wrong one may have meant. A bounded look, and only help: it may miss deep
 * places, and where nothing can be listed there is none.
 */
export async function nearestPaths(
  fs: FileSystem,
  root: string | undefined,
  wanted: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const start = await fs.resolve(root ?? '.', { ...(signal && { signal }) }).catch(() => undefined);
  return start ? rankPaths(wanted, await walk(fs, start, signal)) : [];
}

/** Same name first, then the nearest spellings; nearer places before farther ones. */
export function rankPaths(wanted: string, paths: readonly string[]): string[] {
  const name = basename(wanted).toLowerCase();
  const reach = Math.max(1, Math.floor(name.length / 3));
  return paths
    .map((path) => ({
      path,
      far: nameDistance(basename(path).toLowerCase(), name, reach),
      whole: pathDistance(path, wanted),
    }))
    .filter(({ far }) => far <= reach)
    .sort((a, b) => a.far - b.far || a.whole - b.whole || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_PATHS)
    .map(({ path }) => path);
}

async function walk(fs: FileSystem, start: FsTarget, signal?: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const queue: { target: FsTarget; prefix: string }[] = [{ target: start, prefix: '' }];
  for (let seen = 0; seen < MAX_DIRECTORIES; seen += 1) {
    const next = queue.shift();
    if (!next) break;
    for (const entry of await fs.listDir(next.target, signal).catch(() => [])) {
      if (SKIPPED.has(entry.name)) continue;
      const path = next.prefix + entry.name;
      found.push(path);
      if (entry.type === 'directory') queue.push({ target: entry.target, prefix: `${path}/` });
    }
  }
  return found;
}

function nameDistance(a: string, b: string, reach: number): number {
  return Math.abs(a.length - b.length) > reach ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

/** Parts of the wanted path that this one lacks. */
function pathDistance(path: string, wanted: string): number {
  const parts = new Set(path.split('/'));
  return wanted.split('/').filter((part) => !parts.has(part)).length;
}
