import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Dirent,
} from 'node:fs';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A folder held open: what happens to its path meanwhile cannot lead us elsewhere. */
export interface OpenFolder {
  fd: number;
  path: Buffer;
}

/** Undefined when it is no folder (any more), or a link to one. Throws for one that may not be read. */
export function openFolder(path: Buffer): OpenFolder | undefined {
  try {
    return { fd: openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export function closeFolder({ fd }: OpenFolder): void {
  closeSync(fd);
}

export function listFolder(folder: OpenFolder): Dirent<Buffer>[] {
  return readdirSync(handleOf(folder), { withFileTypes: true, encoding: 'buffer' });
}

/** A path that reaches the child through the open folder. */
export function childOf(folder: OpenFolder, name: Buffer): Buffer {
  return Buffer.concat([handleOf(folder), Buffer.from('/'), name]);
}

export interface OpenedFile {
  executable: boolean;
  size: number;
  read(): Buffer;
}

/** Opens a plain file, never through a link, never waiting on a pipe. Undefined when it is something else. */
export function withFile<T>(path: Buffer, use: (file: OpenedFile) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) return undefined;
    return use({ executable: (info.mode & 0o100) !== 0, size: info.size, read: () => readFileSync(fd) });
  } finally {
    closeSync(fd);
  }
}

/** A link's own target, unfollowed. */
export function readLink(path: Buffer): Buffer {
  return readlinkSync(path, { encoding: 'buffer' });
}

/** Linux names open folders below /proc; elsewhere the path has to do, with every step still checked for links. */
function handleOf({ fd, path }: OpenFolder): Buffer {
  return process.platform === 'linux' ? Buffer.from(`/proc/self/fd/${fd}`) : path;
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');
}
