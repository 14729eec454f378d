import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Git } from './git.ts';

const worthPacking = 8;
const blobType = 3;

/** Stores blobs and gives their object ids in order. One starts no git, many go in as one pack: publishing is timed against this. */
export async function writeBlobs(git: Git, contents: Buffer[]): Promise<string[]> {
  if (contents.length >= worthPacking) await git.run(['index-pack', '--stdin'], { input: toPack(contents) });
  else await Promise.all(contents.map((content) => writeLoose(git.dir, content)));
  return contents.map(blobId);
}

/** The pack format: https://git-scm.com/docs/gitformat-pack */
function toPack(contents: Buffer[]): Buffer {
  const unique = [...new Map(contents.map((content) => [blobId(content), content])).values()];
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(unique.length, 8);
  const objects = unique.flatMap((content) => [entryHeader(content.length), deflateSync(content, { level: 1 })]);
  const body = Buffer.concat([header, ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Type and size: four bits of size beside the type, then seven at a time, the high bit saying that more follow. */
function entryHeader(size: number): Buffer {
  const bytes = [(blobType << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

async function writeLoose(gitDir: string, content: Buffer): Promise<void> {
  const sha = blobId(content);
  const file = join(gitDir, 'objects', sha.slice(0, 2), sha.slice(2));
  const temporary = join(gitDir, 'objects', `tmp-${randomUUID()}`);
  await writeFile(temporary, deflateSync(withHeader(content), { level: 1 }), { mode: 0o444 });
  await rename(temporary, file).catch(async () => {
    await mkdir(dirname(file), { recursive: true });
    await rename(temporary, file);
  });
}

const withHeader = (content: Buffer) => Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);

const blobId = (content: Buffer) => createHash('sha1').update(withHeader(content)).digest('hex');
