import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** A text that was too long to be shown, as the session's log names it: its path below the session's folder. */
export interface SpillFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The files of a session's folder, the newest first, as many as fit into `limit` bytes. */
export async function readSpills(folder: string, limit: number): Promise<SpillFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingThere);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(files.map(async (file) => ({ file, facts: await stat(file) })));
  const newest = found.toSorted((a, b) => b.facts.mtimeMs - a.facts.mtimeMs);
  const kept: SpillFile[] = [];
  let left = limit;
  for (const { file, facts } of newest) {
    if (facts.size > left) continue;
    left -= facts.size;
    kept.push({ path: relative(folder, file), bytes: await readFile(file) });
  }
  return kept;
}

/** Puts them where the log names them. */
export async function writeSpills(folder: string, files: readonly SpillFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, bytes, { mode: 0o600 });
  }
}

function nothingThere(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
