import { constants, lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { canonicalTarget } from './canonical-target.ts';
import { factsOf } from './file-facts.ts';
import { FileOperationError } from './file-operation-error.ts';
import { MAX_BODY_BYTES } from './frame.ts';
import { giveBack, giveBackBelow } from './give-back.ts';
import { TMP_FOLDER, WORKSPACE } from './protocol.ts';
import type { FileFacts, FileRequest, ListedEntry } from './protocol.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

export interface FileOperationResult {
  value: unknown;
  bytes?: Buffer;
}

/** Carries out one file operation. Throws `FileOperationError`, or a system error that maps to one. */
export async function runFileOperation(
  request: FileRequest,
  body: Buffer,
  signal: AbortSignal,
): Promise<FileOperationResult> {
  switch (request.op) {
    case 'resolve':
      return { value: await canonicalTarget(absolute(request.path, request.cwd)) };
    case 'stat':
      return { value: await factsOrNull(() => stat(request.path, { bigint: true })) };
    case 'lstat':
      return { value: await factsOrNull(() => lstat(absolute(request.path, request.cwd), { bigint: true })) };
    case 'read':
      return readPart(request.path, request.offset, request.maxBytes);
    case 'list':
      return listDirectory(request.path, request.maxEntries);
    case 'write':
      return { value: await writeFileAtomically(request, body, signal) };
    case 'give-back':
      return { value: { changed: await giveAllBack(request.owner) } };
  }
}

/** `/tmp` itself stays everybody's. */
async function giveAllBack(owner: number): Promise<number> {
  return (await giveBack(WORKSPACE, owner)) + (await giveBackBelow(TMP_FOLDER, owner));
}

/** Joined and not normalised, so that `link/..` leads where the system leads. */
function absolute(path: string, cwd: string): string {
  if (path.trim() === '') throw new FileOperationError('FS_NOT_FOUND', 'an empty path names no file');
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

async function factsOrNull(look: () => Promise<BigIntStats>): Promise<FileFacts | null> {
  try {
    return factsOf(await look());
  } catch (cause) {
    const error = FileOperationError.from(cause);
    if (error.code === 'FS_NOT_FOUND' || error.code === 'FS_NOT_DIRECTORY') return null;
    throw error;
  }
}

/** A pipe or device must not hold the agent up: opened without blocking, and looked at before it is read. */
async function readPart(path: string, offset: number, maxBytes: number): Promise<FileOperationResult> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new FileOperationError('FS_NOT_REGULAR_FILE', `not a regular file: ${path}`);
    const bytes = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(Number(stats.size) - offset + 1, 64 * 1024)));
    let count = 0;
    while (count < bytes.length) {
      const { bytesRead } = await file.read(bytes, count, bytes.length - count, offset + count);
      if (bytesRead === 0) break;
      count += bytesRead;
    }
    return { value: { facts: factsOf(stats), atEnd: count < bytes.length }, bytes: bytes.subarray(0, count) };
  } finally {
    await file.close();
  }
}

/** Entries in name order, as JSON in the body: a listing can be longer than a frame's head, and is cut before its body. */
async function listDirectory(path: string, maxEntries: number): Promise<FileOperationResult> {
  const names = (await readdir(path)).sort();
  const entries: string[] = [];
  let room = MAX_BODY_BYTES - 2;
  for (const name of names.slice(0, maxEntries)) {
    const entry = JSON.stringify(await listed(path, name));
    room -= Buffer.byteLength(entry) + 1;
    if (room < 0) break;
    entries.push(entry);
  }
  return { value: { total: names.length }, bytes: Buffer.from(`[${entries.join(',')}]`) };
}

/** A child that vanished or leads nowhere has no facts; one that may not be looked at fails the listing. */
async function listed(directory: string, name: string): Promise<ListedEntry> {
  const path = directory === '/' ? `/${name}` : `${directory}/${name}`;
  const own = await factsOrNull(() => lstat(path, { bigint: true }));
  if (own?.type !== 'symlink') return { name, path, facts: own };
  const facts = await factsOrNull(() => stat(path, { bigint: true }));
  return { name, path: facts ? await realpath(path) : path, facts };
}
