import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import type { StoredSession } from '../../harness/session/persistence.ts';
import { packChunks } from '../../store/jsonl/chunk-rows.ts';
import { writeHeaderLine } from '../../store/jsonl/header-line.ts';
import { writeLines } from '../../store/jsonl/log-lines.ts';
import { readLog } from '../../store/jsonl/read-log.ts';
import type { SpillFile } from './spill-files.ts';
import type { HumanRequest, SessionSettings, StoredSnapshot } from '../../store/records.ts';

/** All that a later run needs of a session to go on with it exactly where it stopped. */
export interface SessionFile {
  /** The session's own, and those of its child agents. */
  readonly logs: readonly StoredSession[];
  /** What people were asked, answered or not. */
  readonly requests: readonly HumanRequest[];
  /** Issue and pull requests that belong to it, by number. */
  readonly subjects: readonly number[];
  readonly settings: SessionSettings;
  /** Which deliveries began which causes (T5). */
  readonly causes: readonly Cause[];
  /** What its work tree holds and nobody published yet. */
  readonly snapshot: StoredSnapshot | undefined;
  /** What was too long for its log, and is named there. */
  readonly spills: readonly SpillFile[];
}

export interface Cause {
  readonly cause: string;
  readonly delivery: string;
}

const Facts = z.object({
  version: z.literal(1),
  requests: z.array(z.looseObject({ id: z.string(), session: z.string(), state: z.string(), kind: z.string() })),
  subjects: z.array(z.int()),
  settings: z.object({
    model: z.string().optional(),
    budget: z.number().optional(),
    title: z.string().optional(),
    archivedAt: z.number().optional(),
  }),
  causes: z.array(z.object({ cause: z.string(), delivery: z.string() })),
  snapshot: z.object({ base: z.string(), digest: z.string() }).nullable(),
  spills: z.array(z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[^/].*$/)),
});

/**
 * The bytes of a session: its facts as JSON, its snapshot, its long texts and its logs as JSONL, in one compressed frame.
 * Undefined where they are more than `limit` bytes before that.
 */
export function writeSessionFile({ logs, snapshot, spills, ...facts }: SessionFile, limit: number): Buffer | undefined {
  const kept = snapshot ? { base: snapshot.base, digest: snapshot.digest } : null;
  const paths = spills.map(({ path }) => path);
  const head = Buffer.from(JSON.stringify({ version: 1, ...facts, snapshot: kept, spills: paths }));
  const texts = spills.map(({ bytes }) => bytes);
  const parts = [head, Buffer.from(snapshot?.bytes ?? []), ...texts, ...logs.map(writeLog)];
  if (parts.reduce((sum, { length }) => sum + length + 4, 0) > limit) return undefined;
  return zstdCompressSync(frame(parts), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/** Throws where the bytes are none, or hold more than `limit` bytes once they are unpacked. */
export function readSessionFile(bytes: Buffer, limit: number): SessionFile {
  const [head, snapshot, ...rest] = unframe(zstdDecompressSync(bytes, { maxOutputLength: limit }));
  const { version: _, snapshot: kept, requests, spills, ...facts } = Facts.parse(JSON.parse(String(head)));
  return {
    ...facts,
    requests: requests as unknown as HumanRequest[],
    spills: spills.map((path, at) => ({ path, bytes: rest[at]! })),
    logs: rest.slice(spills.length).map((log) => readLog(log, 'none')),
    snapshot: kept && snapshot ? { ...kept, bytes: snapshot } : undefined,
  };
}

function writeLog({ meta, events }: StoredSession): Buffer {
  const records = packChunks(events).map((record) => JSON.stringify(record));
  return writeLines([writeHeaderLine(meta), ...records], 'none');
}

/** Each part after its length. */
function frame(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(part.length);
      return [length, part];
    }),
  );
}

function unframe(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    parts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return parts;
}
