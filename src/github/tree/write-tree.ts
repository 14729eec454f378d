import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { git, gitText } from '../git/git.ts';
import type { TreeChange, WrittenFile } from './types.ts';

const deflated = promisify(deflate);
const NO_OBJECT = '0'.repeat(40);

/**
 * Puts changes on top of a commit as a git tree and answers its id. Objects are written from our own bytes: git
 * reads nothing of the work tree.
 */
export async function writeTree(
  gitDir: string,
  commit: string,
  changes: TreeChange[],
  signal?: AbortSignal,
): Promise<string> {
  for (const change of changes) if (change.kind !== 'deleted') await writeBlob(gitDir, change);
  const index = join(gitDir, `index-${randomUUID()}`);
  const options = { gitDir, env: { GIT_INDEX_FILE: index }, signal };
  try {
    await git(['read-tree', commit], options);
    await git(['update-index', '-z', '--index-info'], { ...options, input: indexInfo(changes) });
    return await gitText(['write-tree'], options);
  } finally {
    await rm(index, { force: true });
  }
}

/** Deletions first: a folder may stand now where a file was. */
function indexInfo(changes: TreeChange[]): string {
  const deletions = changes.filter(({ kind }) => kind === 'deleted').map(({ path }) => `0 ${NO_OBJECT}\t${path}\0`);
  const writes = changes.filter((change) => change.kind !== 'deleted');
  return [...deletions, ...writes.map(({ mode, sha, path }) => `${mode} ${sha}\t${path}\0`)].join('');
}

async function writeBlob(gitDir: string, { sha, bytes, inBase }: WrittenFile): Promise<void> {
  const file = join(gitDir, 'objects', sha.slice(0, 2), sha.slice(2));
  if (inBase || (await stat(file).catch(() => undefined))) return;
  const object = Buffer.concat([Buffer.from(`blob ${bytes.byteLength}\0`), bytes]);
  if (createHash('sha1').update(object).digest('hex') !== sha) throw new Error(`bytes do not match ${sha}`);
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, await deflated(object));
  await rename(temporary, file);
}
