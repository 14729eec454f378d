import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of one session, whose files stay as long as its log does. */
export const MAX_SESSION_SPILL_BYTES = 1024 ** 3;

/** What is left for the output of commands in a session's spill directory; what is there from earlier jobs counts. */
export class SpillRoom {
  readonly #hostDir: string;
  readonly #maxBytes: number;
  #left: number | undefined;

  constructor(hostDir: string, maxBytes: number = MAX_SESSION_SPILL_BYTES) {
    this.#hostDir = hostDir;
    this.#maxBytes = maxBytes;
  }

  /** Whether there was room for so many bytes, which are then taken. */
  take(bytes: number): boolean {
    this.#left ??= this.#maxBytes - bytesIn(this.#hostDir);
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    if (this.#left !== undefined) this.#left += bytes;
  }
}

/** One that cannot be looked at has no room to give: no file could be made in it either. */
function bytesIn(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  } catch {
    return Infinity;
  }
}
