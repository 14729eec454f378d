import { randomBytes } from 'node:crypto';
import { closeSync, fchownSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SPILL_FOLDER } from '../container-options.ts';
import { RedactingStream } from './redacting-stream.ts';
import type { SpillRoom } from './spill-room.ts';

export interface SpillPlace {
  /** The session's directory on the host, which belongs to the user of the container; inside it is `/dsh/spill`. */
  hostDir: string;
  maxBytes: number;
  /** What is left for all files of the session. */
  room: SpillRoom;
  /** Takes secrets out of what is written. */
  redact?: (text: string) => string;
}

/**
 * The complete text of a stream that is too long to show, readable inside. Written as it comes, without waiting: it is
 * bounded and goes to the page cache. A stream that outgrows it, or what is left for the session, has no file at all.
 */
export class SpillFile {
  readonly #place: SpillPlace;
  readonly #name: string;
  readonly #redacting: RedactingStream;
  #descriptor: number | undefined;
  #bytes = 0;
  #state: 'idle' | 'open' | 'complete' | 'withdrawn' = 'idle';

  constructor(place: SpillPlace, label: string) {
    this.#place = place;
    this.#name = `${label}-${randomBytes(9).toString('hex')}.txt`;
    this.#redacting = new RedactingStream(place.redact ?? ((text) => text));
  }

  /** The path inside, as long as the file holds the whole stream. */
  get path(): string | undefined {
    return this.#state === 'open' || this.#state === 'complete' ? `${SPILL_FOLDER}/${this.#name}` : undefined;
  }

  /** Opens the file with all that has come so far; later calls add the last piece only. */
  begin(all: readonly Buffer[]): void {
    if (this.#state !== 'idle') return this.append(all.at(-1)!);
    this.#attempt(() => {
      this.#descriptor = openSync(this.#file, 'wx', 0o600);
      const { uid, gid } = statSync(this.#place.hostDir);
      if (process.getuid?.() === 0) fchownSync(this.#descriptor, uid, gid);
    });
    this.#state = this.#descriptor === undefined ? 'withdrawn' : 'open';
    for (const bytes of all) this.append(bytes);
  }

  append(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    if (this.#bytes + bytes.length > this.#place.maxBytes || !this.#place.room.take(bytes.length))
      return this.withdraw();
    this.#bytes += bytes.length;
    this.#attempt(() => this.#write(this.#redacting.push(bytes)));
  }

  /** Answers the path inside, if there is a whole file. */
  finish(): string | undefined {
    if (this.#state === 'open') {
      this.#attempt(() => {
        this.#write(this.#redacting.end());
        this.#close();
      });
      if (this.#state === 'open') this.#state = 'complete';
    }
    return this.path;
  }

  withdraw(): void {
    const wasOpen = this.#state === 'open';
    this.#state = 'withdrawn';
    if (!wasOpen) return;
    this.#close();
    rmSync(this.#file, { force: true });
    this.#place.room.giveBack(this.#bytes);
  }

  /** A disk that is full costs the file, never the command. */
  #attempt(write: () => void): void {
    try {
      write();
    } catch {
      this.withdraw();
    }
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor!, bytes, done);
  }

  #close(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    closeSync(descriptor);
  }

  get #file(): string {
    return join(this.#place.hostDir, this.#name);
  }
}
