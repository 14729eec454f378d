import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystem } from '../filesystem/file-system.ts';
import { isFsError } from '../filesystem/fs-error.ts';

export interface SkillFileEntry {
  readonly name: string;
  /** Of what a link leads to; `broken` where it leads nowhere. */
  readonly type: 'file' | 'directory' | 'other' | 'broken';
}

/** The little that finding skills takes. Links are followed; what is not there is undefined. */
export interface SkillFiles {
  list(path: string, signal?: AbortSignal): Promise<readonly SkillFileEntry[] | undefined>;
  read(path: string, signal?: AbortSignal): Promise<string | undefined>;
  exists(path: string, signal?: AbortSignal): Promise<boolean>;
}

/** Files of this machine. */
export const hostSkillFiles: SkillFiles = {
  list: (path) =>
    unlessMissing(async () => {
      const names = await readdir(path);
      return Promise.all(names.sort().map(async (name) => ({ name, type: await typeOf(join(path, name)) })));
    }),
  read: (path, signal) => unlessMissing(() => readFile(path, { encoding: 'utf8', ...(signal && { signal }) })),
  exists: async (path) => (await unlessMissing(() => stat(path))) !== undefined,
};

async function typeOf(path: string): Promise<SkillFileEntry['type']> {
  const found = await unlessMissing(() => stat(path));
  if (!found) return 'broken';
  return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
}

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Files as a mounted filesystem service sees them. */
export function serviceSkillFiles(fs: FileSystem): SkillFiles {
  const statOf = async (path: string, signal?: AbortSignal) =>
    fs.stat(await fs.resolve(path, { ...(signal && { signal }) }), signal);
  return {
    list: (path, signal) =>
      unlessAbsent(async () => {
        if ((await statOf(path, signal))?.type !== 'directory') return undefined;
        const entries = await fs.listDir(await fs.resolve(path, { ...(signal && { signal }) }), signal);
        const typed = entries.map(async ({ name, type }): Promise<SkillFileEntry> => {
          if (type !== 'other') return { name, type };
          const found = await unlessAbsent(() => statOf(join(path, name), signal));
          return { name, type: found?.type ?? 'broken' };
        });
        return Promise.all(typed);
      }),
    read: (path, signal) =>
      unlessAbsent(async () => fs.readText(await fs.resolve(path, { ...(signal && { signal }) }), signal)),
    exists: async (path, signal) => (await unlessAbsent(() => statOf(path, signal))) !== undefined,
  };
}

async function unlessAbsent<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isFsError(error, 'FS_NOT_FOUND') || isFsError(error, 'FS_NOT_DIRECTORY')) return undefined;
    throw error;
  }
}
