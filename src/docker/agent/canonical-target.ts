import { readlink, realpath, stat } from 'node:fs/promises';
import { FileOperationError } from './file-operation-error.ts';

const MAX_LINKS = 40;

/**
 * The one path that every alias of a file leads to. A missing file has the real path of its nearest existing folder
 * and the rest, so that it keeps its name when it is made. Throws `FS_NOT_FOUND` where no file can ever be.
 */
export async function canonicalTarget(path: string, links = 0): Promise<string> {
  const real = await orMissing(realpath(path));
  if (real !== undefined) return real;

  const { parent, name } = split(path);
  const folder = await canonicalTarget(parent, links);
  const found = await orMissing(stat(folder));
  if (found && !found.isDirectory()) throw new FileOperationError('FS_NOT_FOUND', `not a directory: ${folder}`);
  const target = folder === '/' ? `/${name}` : `${folder}/${name}`;
  const link = await readlink(target).catch(() => undefined);
  if (link === undefined) return target;
  if (links >= MAX_LINKS) throw new FileOperationError('FS_NOT_FOUND', `too many links: ${path}`);
  return canonicalTarget(link.startsWith('/') ? link : `${folder}/${link}`, links + 1);
}

function split(path: string): { parent: string; name: string } {
  const trimmed = path.replace(/\/+$/, '');
  const at = trimmed.lastIndexOf('/');
  const name = trimmed.slice(at + 1);
  if (name === '' || name === '.' || name === '..')
    throw new FileOperationError('FS_NOT_FOUND', `no such path: ${path}`);
  return { parent: at === 0 ? '/' : trimmed.slice(0, at), name };
}

async function orMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new FileOperationError('FS_NOT_FOUND', (cause as Error).message);
    throw cause;
  }
}
