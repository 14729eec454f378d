import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);

/** Stores a loose object without starting git (hundreds of blobs may come in a second); gives its object id. */
export async function writeObject(gitDir: string, type: 'blob' | 'commit', content: Buffer): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash('sha1').update(bytes).digest('hex');
  const folder = join(gitDir, 'objects', sha.slice(0, 2));
  const file = join(folder, sha.slice(2));
  if (await exists(file)) return sha;

  await mkdir(folder, { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, await compress(bytes, { level: 1 }), { mode: 0o444 });
  await rename(temporary, file);
  return sha;
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );
