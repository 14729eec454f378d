import { execFile } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BATCH = 24;
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** For output: the end that stays here does not block, the one a command gets does. */
export interface Pipe {
  read: number;
  write: number;
}

/**
 * Pipes for commands. Node gives children sockets, which cannot be opened again by name: `> /dev/stderr` would
 * fail. FIFOs whose names are gone are ordinary pipes.
 */
export class PipePool {
  #ready: Pipe[] = [];
  #refill: Promise<void> | undefined;

  async take(): Promise<Pipe> {
    for (;;) {
      if (this.#ready.length < BATCH / 2) this.#refillSoon();
      const pipe = this.#ready.pop();
      if (pipe) return pipe;
      await this.#refill;
    }
  }

  /** A failure counts only for who has to wait for it. */
  #refillSoon(): void {
    this.#refill ??= this.#fill();
    this.#refill.catch(() => {});
  }

  async #fill(): Promise<void> {
    try {
      this.#ready.push(...(await makePipes(BATCH)));
    } finally {
      this.#refill = undefined;
    }
  }
}

async function makePipes(count: number): Promise<Pipe[]> {
  const folder = mkdtempSync('/tmp/.pipes-');
  try {
    const names = Array.from({ length: count }, (_, index) => join(folder, `${index}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...names]);
    return names.map((name) => ({ read: openSync(name, O_RDONLY | O_NONBLOCK), write: openSync(name, O_WRONLY) }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
