import type { Socket } from 'node:net';
import type { OutputCaps } from './protocol.ts';

const FLUSH_MS = 200;

/**
 * Reads one output stream of a command to its end, so that the command never blocks. All bytes go out up to a limit,
 * then only the newest ones every now and then, with the count of those left out before them.
 */
export class OutputForwarder {
  /** Once the last writer has closed the pipe. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #caps: OutputCaps;
  readonly #forward: (skipped: number, bytes: Buffer) => void;
  #forwarded = 0;
  #skipped = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(socket: Socket, caps: OutputCaps, forward: (skipped: number, bytes: Buffer) => void) {
    this.#socket = socket;
    this.#caps = caps;
    this.#forward = forward;
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk) => this.#take(chunk));
  }

  /** Sends what is held back. What still comes is read and dropped. */
  stop(): void {
    this.#flush();
    this.#stopped = true;
    this.#socket.unref();
  }

  #take(chunk: Buffer): void {
    if (this.#stopped) return;
    const room = Math.max(0, this.#caps.forwardBytes - this.#forwarded);
    if (room > 0) this.#forward(0, chunk.subarray(0, room));
    this.#forwarded += Math.min(room, chunk.length);
    if (chunk.length > room) this.#hold(chunk.subarray(room));
  }

  #hold(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    while (this.#tailBytes - this.#tail[0]!.length >= this.#caps.tailBytes) this.#dropOldest();
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #dropOldest(): void {
    const dropped = this.#tail.shift()!.length;
    this.#tailBytes -= dropped;
    this.#skipped += dropped;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#tailBytes === 0) return;
    this.#forward(this.#skipped, Buffer.concat(this.#tail));
    this.#tail = [];
    this.#tailBytes = 0;
    this.#skipped = 0;
  }
}
