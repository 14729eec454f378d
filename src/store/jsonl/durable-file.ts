import { randomBytes } from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

type Open = typeof open;

/**
 * Makes a file with this content, all or nothing. It gets its name by a hard link, which fails if the name is taken.
 * Directories are made as needed and are durable with it.
 */
export async function publishFile(path: string, content: Buffer, openFile: Open = open): Promise<void> {
  await makeDirectory(dirname(path), openFile);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await using file = await openFile(temporary, 'wx', 0o600);
    await file.writeFile(content);
    await file.sync();
    await link(temporary, path);
  } finally {
    await unlink(temporary).catch(() => {});
  }
  await syncDirectory(dirname(path), openFile);
}

/** Adds bytes at the end. What fails half-way is taken back, so that the file is as before. */
export async function appendDurably(path: string, content: Buffer, openFile: Open = open): Promise<void> {
  await using file = await openFile(path, 'r+');
  const { size } = await file.stat();
  await writeAt(file, size, content);
}

/** Cuts the file at `offset`, then adds bytes there; a crash in between leaves the cut file. */
export async function cutAndAppend(
  path: string,
  offset: number,
  content: Buffer,
  openFile: Open = open,
): Promise<void> {
  await using file = await openFile(path, 'r+');
  await cut(file, offset);
  if (content.length > 0) await writeAt(file, offset, content);
}

async function writeAt(file: FileHandle, offset: number, content: Buffer): Promise<void> {
  try {
    for (let written = 0; written < content.length;) {
      const { bytesWritten } = await file.write(content, written, content.length - written, offset + written);
      written += bytesWritten;
    }
    await file.sync();
  } catch (error) {
    await cut(file, offset).catch((rollback: unknown) => {
      throw new AggregateError([error, rollback], 'a write failed, and so did taking it back');
    });
    throw error;
  }
}

async function cut(file: FileHandle, offset: number): Promise<void> {
  await file.truncate(offset);
  await file.sync();
}

async function makeDirectory(path: string, openFile: Open): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made), openFile);
}

/** A new name is durable only once its directory is. */
async function syncDirectory(path: string, openFile: Open): Promise<void> {
  await using directory = await openFile(path, 'r');
  await directory.sync();
}
