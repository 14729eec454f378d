import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallId } from '../../src/harness/llm/types.ts';
import type { StreamChunk } from '../../src/harness/llm/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { ChunkRow, isChunkRow, packChunks, unpackChunks } from '../../src/store/jsonl/chunk-rows.ts';
import { plain } from './contract-storage.ts';

function chunks(...parts: StreamChunk[]): SessionEvent[] {
  return parts.map((chunk, seq) => ({
    type: 'assistant/chunk',
    seq,
    time: 100 - seq,
    data: { turn: 1, step: 1, chunk },
  }));
}

const delta = (text: string, index = 0): StreamChunk => ({ type: 'text-delta', index, text });
const callDelta = (argumentsDelta: string, name?: string, id = 'c'): StreamChunk => ({
  type: 'tool-call-delta',
  index: 0,
  id: CallId(id),
  ...(name !== undefined && { name }),
  argumentsDelta,
});

function unpack(records: readonly unknown[]): unknown[] {
  return records.flatMap((record) => (isChunkRow(record) ? unpackChunks(ChunkRow.parse(record)) : [record]));
}

describe('persistence', () => {
  it('P26 a run of three deltas becomes one row, two stay as they are', () => {
    const run = chunks(delta('a'), delta('b'), delta('c'));

    expect(packChunks(run)).toEqual([
      {
        type: 'text-chunks',
        seq0: 0,
        time0: 100,
        data: { turn: 1, step: 1, index: 0, dt: [-1, -1], texts: ['a', 'b', 'c'] },
      },
    ]);
    expect(packChunks(run.slice(1))).toEqual(run.slice(1));
  });

  it.each<[string, SessionEvent[]]>([
    ['another block', chunks(delta('a'), delta('b'), delta('c', 1), delta('d', 1))],
    ['another kind', chunks(delta('a'), delta('b'), { type: 'reasoning-delta', index: 0, text: 'c' })],
    ['a call whose name comes late', chunks(callDelta('a'), callDelta('b'), callDelta('c', 'bash'))],
    ['another call', chunks(callDelta('a'), callDelta('b'), callDelta('c', undefined, 'd'))],
    ['another step', chunks(delta('a'), delta('b'), delta('c')).map((event, i) => (i < 2 ? event : inStep(event, 2)))],
    [
      'another turn',
      chunks(delta('a'), delta('b'), delta('c')).map((event, i) => (i < 2 ? event : inStep(event, 1, 2))),
    ],
    ['a gap', chunks(delta('a'), delta('b'), delta('c')).filter(({ seq }) => seq !== 1)],
    ['an unknown field', chunks(delta('a'), delta('b'), Object.assign(delta('c'), { more: 1 }))],
  ])('P26 %s ends a run', (_name, events) => {
    expect(packChunks(events).some(isChunkRow)).toBe(false);
  });

  it('P26 packing and unpacking gives back any log', () => {
    const part = fc.oneof(
      { weight: 4, arbitrary: fc.string().map((text) => delta(text)) },
      fc.string().map((text) => delta(text, 1)),
      fc.string().map((text): StreamChunk => ({ type: 'reasoning-delta', index: 0, text })),
      { weight: 3, arbitrary: fc.string().map((text) => callDelta(text)) },
      { weight: 3, arbitrary: fc.string().map((text) => callDelta(text, 'bash')) },
      fc.constant<StreamChunk>({ type: 'finish', reason: { kind: 'stop' } }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const events = chunks(...parts);
        expect(unpack(plain(packChunks(events)))).toEqual(events);
      }),
    );
  });

  it.each([
    ['times that do not fit the pieces', { dt: [1] }],
    ['no pieces', { dt: [], texts: [] }],
    ['an unknown field', { more: 1 }],
    ['pieces that are no text', { texts: ['a', 'b', 3] }],
    ['a fractional step', { step: 0.5 }],
  ])('P26 a row with %s is not a record', (_name, change) => {
    const [row] = plain(packChunks(chunks(delta('a'), delta('b'), delta('c')))) as [ChunkRow];

    expect(ChunkRow.safeParse(row).success).toBe(true);
    expect(ChunkRow.safeParse({ ...row, data: { ...row.data, ...change } }).success).toBe(false);
  });
});

function inStep(event: SessionEvent, step: number, turn = 1): SessionEvent {
  return { ...event, data: { ...event.data, turn, step } } as SessionEvent;
}
