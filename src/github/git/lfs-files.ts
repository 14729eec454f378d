import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LfsPointer } from './lfs-pointer.ts';

const FILE = 'dsh-lfs.json';
const Stored = z.array(z.tuple([z.string(), z.object({ oid: z.string(), size: z.number() })]));

/** Paths whose content stands in the work tree in place of the pointer that the commit has. Keys are latin1 paths. */
export async function readLfsFiles(gitDir: string): Promise<ReadonlyMap<string, LfsPointer>> {
  const text = await readFile(join(gitDir, FILE), 'utf8').catch(() => undefined);
  return new Map(text === undefined ? [] : Stored.parse(JSON.parse(text)));
}

/** Beside the tree, where no sandbox can write: whoever goes on with the tree must know them, too. */
export async function writeLfsFiles(gitDir: string, files: ReadonlyMap<string, LfsPointer>): Promise<void> {
  await writeFile(join(gitDir, FILE), JSON.stringify([...files]));
}
