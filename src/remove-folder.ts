import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Removes a folder in which commands of a sandbox were at work, with all in it. They may have nested folders deeper than
 * a path is long, and locked some: the system's own `rm` walks by descriptor, and after a `chmod` nothing of ours is
 * locked. Follows no link. It may be gone already.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (cause) {
    if (!HARD.includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    const run = promisify(execFile);
    await run('chmod', ['-R', '--', 'u+rwX', path]).catch(() => {}); // `rm` says what is left
    await run('rm', ['-rf', '--', path]);
  }
}

const HARD = ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'];
