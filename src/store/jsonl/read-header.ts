import { open, readFile } from 'node:fs/promises';
import type { SessionHeader } from '../../harness/session/types.ts';
import { PersistenceError } from '../persistence-error.ts';
import { readHeaderLine } from './header-line.ts';
import type { Compression } from './session-path.ts';
import { decompressFrame, frameEnd } from './zstd-frames.ts';

const HEAD_BYTES = 64 * 1024;

/** The header of a session file, read without the rest; undefined for an empty file and one that is no session. */
export async function readHeader(path: string, compression: Compression): Promise<SessionHeader | undefined> {
  const head = await readHead(path);
  if (head.length === 0) return undefined;
  const line = firstLine(head, compression) ?? firstLine(await readFile(path), compression);
  if (line === undefined && compression === 'zstd') throw damaged(path);
  return readHeaderLine(line);
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function firstLine(bytes: Buffer, compression: Compression): string | undefined {
  if (compression === 'none') {
    const end = bytes.indexOf('\n');
    return end < 0 ? undefined : bytes.toString('utf8', 0, end);
  }
  const end = frameEnd(bytes, 0);
  return end === undefined ? undefined : headerFrame(bytes.subarray(0, end));
}

function headerFrame(frame: Buffer): string | undefined {
  try {
    return decompressFrame(frame).split('\n')[0];
  } catch {
    return undefined;
  }
}

function damaged(path: string): PersistenceError {
  return new PersistenceError(`the header of ${path} is damaged`, 'CORRUPT_SESSION');
}
