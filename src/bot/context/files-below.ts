import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderFile } from './lay-out-folder.ts';

const MAX_DEPTH = 20;

/** All files below a folder of this machine, links followed; for folders that the operator vouches for. */
export async function* filesBelow(folder: string, below = '', depth = 0): AsyncGenerator<FolderFile> {
  if (depth > MAX_DEPTH) return;
  for (const name of (await readdir(join(folder, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const found = await stat(join(folder, path));
    if (found.isDirectory()) yield* filesBelow(folder, path, depth + 1);
    else if (found.isFile()) {
      yield { path, bytes: await readFile(join(folder, path)), isExecutable: (found.mode & 0o111) !== 0 };
    }
  }
}
