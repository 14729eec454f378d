import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A command's standard input as an open file whose name is gone, or `/dev/null`. A pipe could not be opened again by name once all is
 * written: `cat /dev/stdin` would hang.
 */
export function openInput(bytes: Buffer | undefined): number {
  if (bytes === undefined) return openSync('/dev/null', 'r');
  const folder = mkdtempSync('/tmp/.input-');
  try {
    writeFileSync(join(folder, 'stdin'), bytes);
    return openSync(join(folder, 'stdin'), 'r');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function closeAll(...descriptors: number[]): void {
  for (const descriptor of descriptors) closeSync(descriptor);
}
