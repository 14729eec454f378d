import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventsOf } from '../../src/demo/model/stream-reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import type { StreamChunk } from '../../src/harness/llm/types.ts';
import { readReply } from '../../src/models/read-reply.ts';
import { TransportWatch } from '../../src/models/transport-watch.ts';
import { validateChunks } from '../../src/harness/llm/validate-chunks.ts';
import { blocksOf, collect, collectFailing } from './adapter-fixture.ts';

const REPLY: Reply = {
  reasoning: 'Gründlich 思考 🧠 first',
  text: 'data: über\n\ndata: 文字 👩‍🚀',
  toolCalls: [{ id: 'c1', name: 'bash', arguments: '{"command":"echo \\"ß 🦊\\"\\n"}' }],
  usage: { promptTokens: 5, completionTokens: 6 },
};
const BYTES = Buffer.from([': hi\n\n', ...eventsOf({ model: 'm' } as never, REPLY, 'r')].join(''));
const EXPECTED = [
  { type: 'reasoning', text: REPLY.reasoning },
  { type: 'text', text: REPLY.text },
  { type: 'tool-call', ...REPLY.toolCalls![0] },
];

function read(parts: readonly Uint8Array[]): AsyncIterable<StreamChunk> {
  const body = ReadableStream.from(parts);
  const watch = new TransportWatch({ streamIdleTimeoutMs: 5000, streamProgressTimeoutMs: 5000 }, undefined);
  const response = new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  return validateChunks(readReply(response, watch, { newCallId: () => 'new-id', redact: (text) => text }));
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set([0, ...cuts, bytes.length])].filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const SEED = { seed: 20261120, numRuns: 150 };
const cuts = fc.array(fc.nat(BYTES.length), { maxLength: 60 });

describe('llm-streaming', () => {
  it('L20 bytes split anywhere, inside characters and field names too, give the same blocks', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        expect(blocksOf(await collect(read(split(BYTES, at))))).toEqual(EXPECTED);
      }),
      SEED,
    );
  });

  it('L20 one byte at a time gives the same blocks', async () => {
    const parts = Array.from(BYTES, (byte) => Uint8Array.of(byte));

    expect(blocksOf(await collect(read(parts)))).toEqual(EXPECTED);
  });

  it('L20 a stream cut anywhere before its end fails with a code and ends no block', async () => {
    const last = BYTES.lastIndexOf('[DONE]') + '[DONE]'.length;
    await fc.assert(
      fc.asyncProperty(fc.nat(last - 1), cuts, async (length, at) => {
        const { chunks, error } = await collectFailing(read(split(BYTES.subarray(0, length), at)));
        expect(error).toMatchObject({ name: 'LlmError', code: 'STREAM_CLOSED' });
        expect(blocksOf(chunks)).toEqual([]);
      }),
      SEED,
    );
  });

  it('L20 bytes that are damaged fail with a code or are taken as text, and never crash', async () => {
    const damage = fc.array(fc.tuple(fc.nat(BYTES.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(damage, cuts, async (changes, at) => {
        const bytes = Uint8Array.from(BYTES);
        for (const [index, value] of changes) bytes[index] = value;
        const outcome = await collect(read(split(bytes, at))).then(
          (chunks) => chunks.at(-1)!.type,
          (error: { name: string }) => error.name,
        );
        expect(['finish', 'LlmError']).toContain(outcome);
      }),
      SEED,
    );
  });
});
