import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made: Promise<string> | undefined;

/** A private directory of this process, made when the first text needs it. */
export function processSpillRoot(): Promise<string> {
  made ??= mkdtemp(join(tmpdir(), 'dsh-spill-')).catch((cause: unknown) => {
    made = undefined;
    throw cause;
  });
  return made;
}
