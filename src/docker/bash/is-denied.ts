import { WORKSPACE } from '../agent/protocol.ts';

const SIGNATURE = 'read-only file system';
const NO_PERMISSION = /(\/[^\s:'"`]*)['"`]?: permission denied/gi;

/**
 * Whether a command failed because the sandbox kept it from a file: a read-only mount, or missing rights outside of the
 * work tree. Success and death by signal are never a denial.
 */
export function isDenied({ exitCode, stderr }: { exitCode: number | null; stderr: string }): boolean {
  if (exitCode === null || exitCode === 0) return false;
  if (stderr.toLowerCase().includes(SIGNATURE)) return true;
  return [...stderr.matchAll(NO_PERMISSION)].some(([, path]) => !isInWorkspace(path!));
}

function isInWorkspace(path: string): boolean {
  return path === WORKSPACE || path.startsWith(`${WORKSPACE}/`);
}
