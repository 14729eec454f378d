import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What a turn needs at the least; smaller things find room in what a database holds in reserve. */
const BYTES = 1_048_576;

/** Writes a file of a megabyte and takes it away again. Rejects where the folder is full or cannot be written. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `.probe-${crypto.randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(Buffer.alloc(BYTES));
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
