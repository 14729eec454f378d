import { z } from 'zod';
import type { CallId } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';

type ChunkEvent = SessionEvent<'assistant/chunk'>;
type DeltaType = keyof typeof ROWS;

const ROWS = {
  'text-delta': 'text-chunks',
  'reasoning-delta': 'reasoning-chunks',
  'tool-call-delta': 'tool-call-chunks',
} as const;

/** Shorter runs take less room as they are. */
const SHORTEST_RUN = 3;

const integer = z.int();
const place = { turn: integer, step: integer, index: integer, dt: z.array(integer) };
const TextRow = z.strictObject({
  type: z.enum(['text-chunks', 'reasoning-chunks']),
  seq0: integer,
  time0: integer,
  data: z.strictObject({ ...place, texts: z.array(z.string()).min(1) }),
});
const CallRow = z.strictObject({
  type: z.literal('tool-call-chunks'),
  seq0: integer,
  time0: integer,
  data: z.strictObject({ ...place, id: z.string(), name: z.string().optional(), args: z.array(z.string()).min(1) }),
});
type RowData = z.infer<typeof TextRow>['data'] | z.infer<typeof CallRow>['data'];

/** A run of deltas in one record: `dt` holds the gaps between their times, which may be negative. */
export const ChunkRow = z
  .discriminatedUnion('type', [TextRow, CallRow])
  .refine(({ data }) => data.dt.length === piecesOf(data).length - 1);
export type ChunkRow = z.infer<typeof ChunkRow>;

function piecesOf(data: RowData): readonly string[] {
  return 'texts' in data ? data.texts : data.args;
}

export function isChunkRow(record: unknown): boolean {
  return typeof record === 'object' && record !== null && 'seq0' in record;
}

/** The records of a batch: each run of deltas of one block becomes a row, all else stays as it is. */
export function packChunks(events: readonly SessionEvent[]): (SessionEvent | ChunkRow)[] {
  const records: (SessionEvent | ChunkRow)[] = [];
  for (let start = 0; start < events.length;) {
    const end = runEnd(events, start);
    if (end - start >= SHORTEST_RUN) records.push(toRow(events.slice(start, end) as ChunkEvent[]));
    else records.push(...events.slice(start, end));
    start = end;
  }
  return records;
}

/** The events a row stands for. */
export function unpackChunks({ type, seq0, time0, data }: ChunkRow): ChunkEvent[] {
  const { turn, step, index, dt } = data;
  let time = time0;
  return piecesOf(data).map((piece, i) => {
    if (i > 0) time += dt[i - 1]!;
    return {
      type: 'assistant/chunk',
      seq: seq0 + i,
      time,
      data: { turn, step, chunk: chunkOf(type, data, index, piece) },
    };
  });
}

function chunkOf(type: ChunkRow['type'], data: ChunkRow['data'], index: number, piece: string) {
  if (type === 'text-chunks') return { type: 'text-delta', index, text: piece } as const;
  if (type === 'reasoning-chunks') return { type: 'reasoning-delta', index, text: piece } as const;
  const { id, name } = data as z.infer<typeof CallRow>['data'];
  const call = { type: 'tool-call-delta', index, id: id as CallId } as const;
  return name === undefined ? { ...call, argumentsDelta: piece } : { ...call, name, argumentsDelta: piece };
}

function runEnd(events: readonly SessionEvent[], start: number): number {
  const first = events[start]!;
  let end = start + 1;
  if (!isPlainDelta(first)) return end;
  for (let next = events[end]; next && isPlainDelta(next) && follows(first, next, end - start); next = events[end])
    end += 1;
  return end;
}

/** Only what unpacking gives back exactly, key for key, may be packed. */
function isPlainDelta(event: SessionEvent): event is ChunkEvent {
  if (event.type !== 'assistant/chunk' || !(event.data.chunk.type in ROWS)) return false;
  const { chunk } = event.data;
  const fields = chunk.type === 'tool-call-delta' ? ('name' in chunk ? 5 : 4) : 3;
  return hasSize(event, 4) && hasSize(event.data, 3) && hasSize(chunk, fields);
}

function hasSize(value: object, size: number): boolean {
  return Object.keys(value).length === size;
}

function follows(first: ChunkEvent, next: ChunkEvent, distance: number): boolean {
  const [a, b] = [first.data, next.data];
  if (next.seq !== first.seq + distance || a.turn !== b.turn || a.step !== b.step) return false;
  if (a.chunk.type !== b.chunk.type || !('index' in a.chunk && 'index' in b.chunk)) return false;
  if (a.chunk.index !== b.chunk.index) return false;
  if (a.chunk.type !== 'tool-call-delta' || b.chunk.type !== 'tool-call-delta') return true;
  return a.chunk.id === b.chunk.id && a.chunk.name === b.chunk.name;
}

function toRow(run: readonly ChunkEvent[]): ChunkRow {
  const first = run[0]!;
  const { turn, step, chunk } = first.data;
  const head = { seq0: first.seq, time0: first.time };
  const dt = run.slice(1).map((event, i) => event.time - run[i]!.time);
  const pieces = run.map(({ data }) => pieceOf(data.chunk));
  const { index } = chunk as Extract<typeof chunk, { type: DeltaType }>;
  if (chunk.type === 'tool-call-delta') {
    const call = { id: chunk.id, ...(chunk.name !== undefined && { name: chunk.name }) };
    return { type: 'tool-call-chunks', ...head, data: { turn, step, index, dt, ...call, args: pieces } };
  }
  const type = chunk.type === 'text-delta' ? 'text-chunks' : 'reasoning-chunks';
  return { type, ...head, data: { turn, step, index, dt, texts: pieces } };
}

function pieceOf(chunk: ChunkEvent['data']['chunk']): string {
  if (chunk.type === 'tool-call-delta') return chunk.argumentsDelta;
  return 'text' in chunk ? chunk.text : '';
}
