import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SessionLocation } from '../../harness/session/persistence.ts';
import type { SessionEvent, SessionHeader, SessionId } from '../../harness/session/types.ts';
import type { PersistenceBackend, StoredPrefix } from '../persistence-backend.ts';
import { PersistenceError } from '../persistence-error.ts';
import { packChunks } from './chunk-rows.ts';
import { appendDurably, cutAndAppend, publishFile } from './durable-file.ts';
import { writeHeaderLine } from './header-line.ts';
import { writeLines } from './log-lines.ts';
import { readHeader } from './read-header.ts';
import { readLog } from './read-log.ts';
import type { TornTail } from './read-log.ts';
import { bucketName, encodeId, isBucketName, sessionPath, SUFFIX } from './session-path.ts';
import type { Compression } from './session-path.ts';

export interface JsonlConfig {
  /** Directory of all sessions; made when the first one is written. */
  root: string;
  /** Writes runs of chunks as one line each. Reading always understands both. */
  packChunks?: boolean;
  compression?: Compression;
}

/** One file per session: a header line, then one line per event, in frames of their own when compressed. */
export class JsonlBackend implements PersistenceBackend<TornTail> {
  readonly name = 'jsonl';
  readonly #root: string;
  readonly #packChunks: boolean;
  readonly #compression: Compression;

  constructor({ root, packChunks: pack = false, compression = 'zstd' }: JsonlConfig) {
    this.#root = resolve(root);
    this.#packChunks = pack;
    this.#compression = compression;
  }

  locate(meta: SessionHeader): SessionLocation {
    return { kind: 'jsonl', path: this.#path(meta) };
  }

  async has(id: SessionId): Promise<boolean> {
    return (await this.#filesOf(id)).length > 0;
  }

  async loadStored(id: SessionId): Promise<StoredPrefix<TornTail> | undefined> {
    const found = await this.#filesOf(id);
    if (found.length > 1) {
      throw new PersistenceError(`session ${id} is stored twice: ${found.map(pathOf).join(', ')}`, 'CORRUPT_SESSION');
    }
    return found[0] && this.#read(pathOf(found[0]), id);
  }

  async loadLive(id: SessionId, cwd: string | undefined): Promise<StoredPrefix<TornTail> | undefined> {
    const bucket = join(this.#root, bucketName(cwd));
    const found = (await this.#filesOf(id)).find((file) => file.bucket === bucket);
    return found && this.#read(pathOf(found), id);
  }

  async appendBatch(meta: SessionHeader, events: readonly SessionEvent[], isMaterialized: boolean): Promise<void> {
    const batch = this.#encode(events);
    if (isMaterialized) return appendDurably(this.#path(meta), batch);
    const header = writeLines([writeHeaderLine(meta)], this.#compression);
    await publishFile(this.#path(meta), Buffer.concat([header, batch]));
  }

  async commitRepair(
    meta: SessionHeader,
    tornMarker: TornTail | undefined,
    closers: readonly SessionEvent[],
  ): Promise<void> {
    if (tornMarker === undefined) return appendDurably(this.#path(meta), this.#encode(closers));
    const events = [...tornMarker.recovered, ...closers];
    const content = events.length > 0 ? this.#encode(events) : Buffer.alloc(0);
    await cutAndAppend(this.#path(meta), tornMarker.offset, content);
  }

  async list(): Promise<SessionHeader[]> {
    const files = await this.#files();
    const headers = await Promise.all(files.map((file) => readHeader(pathOf(file), this.#compression)));
    return headers.filter((header) => header !== undefined);
  }

  #path(meta: SessionHeader): string {
    return sessionPath(this.#root, meta, this.#compression);
  }

  #encode(events: readonly SessionEvent[]): Buffer {
    const records = this.#packChunks ? packChunks(events) : events;
    return writeLines(
      records.map((record) => JSON.stringify(record)),
      this.#compression,
    );
  }

  /** The header must lead to the very file it was read from, or a repair would go into another one. */
  async #read(path: string, id: SessionId): Promise<StoredPrefix<TornTail>> {
    const stored = await this.#decode(path);
    if (stored.meta.id === id && this.#path(stored.meta) === path) return stored;
    throw new PersistenceError(`${path} holds the header of another session, ${stored.meta.id}`, 'CORRUPT_SESSION');
  }

  async #decode(path: string): Promise<StoredPrefix<TornTail>> {
    const bytes = await readFile(path);
    try {
      return readLog(bytes, this.#compression);
    } catch (cause) {
      if (!(cause instanceof PersistenceError)) throw cause;
      throw new PersistenceError(`${path}: ${cause.message}`, cause.code, { cause });
    }
  }

  async #filesOf(id: SessionId): Promise<SessionFile[]> {
    const name = encodeId(id) + SUFFIX[this.#compression];
    return (await this.#files()).filter((file) => file.name === name);
  }

  /** Every session file under the root. A root has one encoding; a file of the other one is an error. */
  async #files(): Promise<SessionFile[]> {
    const buckets = (await namesIn(this.#root)).filter(isBucketName).map((name) => join(this.#root, name));
    const files = await Promise.all(
      buckets.map(async (bucket) => (await namesIn(bucket)).map((name) => ({ bucket, name }))),
    );
    const other = SUFFIX[this.#compression === 'zstd' ? 'none' : 'zstd'];
    const foreign = files.flat().find(({ name }) => name.endsWith(other));
    if (foreign) {
      const message = `${pathOf(foreign)} is not stored as ${SUFFIX[this.#compression]}, like all else here`;
      throw new PersistenceError(message, 'MIXED_ENCODINGS');
    }
    return files.flat().filter(({ name }) => name.endsWith(SUFFIX[this.#compression]));
  }
}

interface SessionFile {
  readonly bucket: string;
  readonly name: string;
}

function pathOf({ bucket, name }: SessionFile): string {
  return join(bucket, name);
}

/** Nothing is there only if the system says so; any other failure is one. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
