import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../harness/llm/errors.ts';

export interface FolderFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_FILES = 1_000;

/**
 * Writes files as a new folder that everybody may read, in the place of one that is there. It appears as a whole.
 * Throws `FOLDER_TOO_LARGE`.
 */
export async function layOutFolder(target: string, files: AsyncIterable<FolderFile>): Promise<void> {
  const fresh = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await makeReadable(dirname(target));
    await makeReadable(fresh);
    await writeAll(fresh, files);
    await rm(target, { recursive: true, force: true });
    await rename(fresh, target);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function writeAll(folder: string, files: AsyncIterable<FolderFile>): Promise<void> {
  let count = 0;
  let size = 0;
  for await (const { path, bytes, isExecutable } of files) {
    count += 1;
    size += bytes.byteLength;
    if (count > MAX_FILES || size > MAX_BYTES) {
      throw new HarnessError(`more than ${MAX_FILES} files or ${MAX_BYTES} bytes`, 'FOLDER_TOO_LARGE');
    }
    if (!isInside(path)) continue;
    await makeReadable(dirname(join(folder, path)));
    await writeFile(join(folder, path), bytes, { mode: isExecutable ? 0o755 : 0o644 });
    await chmod(join(folder, path), isExecutable ? 0o755 : 0o644);
  }
}

/** A tree that nobody checked may name anything. */
function isInside(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

async function makeReadable(folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) !== undefined) await chmod(folder, 0o755);
}
