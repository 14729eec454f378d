import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BATCH = 24;
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** Two ends of a pipe. The end that stays here does not block, the one a command gets does. */
export interface Pipe {
  read: number;
  write: number;
}

/**
 * Pipes for commands. Node gives children sockets, which cannot be opened again by name: `> /dev/stderr` and
 * `cat /dev/stdin` would fail. FIFOs whose names are gone are ordinary pipes.
 */
export class PipePool {
  #fromChild: Pipe[] = [];
  #refill: Promise<void> | undefined;

  async takeFromChild(): Promise<Pipe> {
    for (;;) {
      if (this.#fromChild.length < BATCH / 2) this.#refillSoon();
      const pipe = this.#fromChild.pop();
      if (pipe) return pipe;
      await this.#refill;
    }
  }

  /** For a command's standard input. */
  async takeToChild(): Promise<Pipe> {
    const [pipe] = await makePipes(1, (name) => {
      const holder = openSync(name, O_RDONLY | O_NONBLOCK);
      const write = openSync(name, O_WRONLY | O_NONBLOCK);
      const read = openSync(name, O_RDONLY);
      closeSync(holder);
      return { read, write };
    });
    return pipe!;
  }

  /** A failure counts only for who has to wait for it. */
  #refillSoon(): void {
    this.#refill ??= this.#fill();
    this.#refill.catch(() => {});
  }

  async #fill(): Promise<void> {
    try {
      const open = (name: string) => ({ read: openSync(name, O_RDONLY | O_NONBLOCK), write: openSync(name, O_WRONLY) });
      this.#fromChild.push(...(await makePipes(BATCH, open)));
    } finally {
      this.#refill = undefined;
    }
  }
}

async function makePipes(count: number, open: (name: string) => Pipe): Promise<Pipe[]> {
  const folder = mkdtempSync('/tmp/.pipes-');
  try {
    const names = Array.from({ length: count }, (_, index) => join(folder, `${index}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...names]);
    return names.map(open);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
