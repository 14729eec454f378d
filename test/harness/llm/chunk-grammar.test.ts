import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { chunkValidator } from '../../../src/harness/llm/chunk-validator.ts';
import { LlmError } from '../../../src/harness/llm/errors.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { isLlmAdapterFailure } from '../../../src/harness/llm/call-failures.ts';
import { validateChunks } from '../../../src/harness/llm/validate-chunks.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { StreamChunk } from '../../../src/harness/llm/types.ts';
import { ask, collect, failing, failureOf, reply, ScriptedAdapter } from './scripted-adapter.ts';

const start = (index: number, blockType: 'text' | 'reasoning' | 'tool-call' = 'text'): StreamChunk => ({
  type: 'block-start',
  index,
  blockType,
});
const delta: StreamChunk = { type: 'text-delta', index: 0, text: 'x' };
const end: StreamChunk = { type: 'block-end', index: 0, block: { type: 'text', text: 'x' } };
const usage: StreamChunk = { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
const finish: StreamChunk = { type: 'finish', reason: { kind: 'stop' } };

async function* from(chunks: StreamChunk[]): AsyncGenerator<StreamChunk> {
  yield* chunks;
}

describe('llm-streaming', () => {
  it.each<[string, StreamChunk[]]>([
    ['an index below zero', [start(-1)]],
    ['an index that is no integer', [start(0.5)]],
    ['an index too large to be exact', [start(2 ** 53)]],
    ['a delta without a block', [delta]],
    ['a delta of another kind', [start(0, 'reasoning'), delta]],
    ['a call delta on text', [start(0), { type: 'tool-call-delta', index: 0, id: CallId('c'), argumentsDelta: '' }]],
    ['an end of another kind', [start(0, 'reasoning'), end]],
    ['an end without a block', [end]],
    ['a second start on an open block', [start(0), start(0)]],
    ['a delta after the end', [start(0), end, delta]],
  ])('L4 %s breaks the grammar', async (_what, chunks) => {
    expect(await failureOf(validateChunks(from(chunks)))).toMatchObject({ code: 'CHUNK_GRAMMAR' });
  });

  it.each<[string, StreamChunk[]]>([
    ['a second usage', [usage, usage, finish]],
    ['usage after finish', [finish, usage]],
    ['a second finish', [finish, finish]],
    ['finish with a block open', [start(0), finish]],
    ['an end without finish', [start(0), delta, end]],
    ['an empty stream', []],
  ])('L5 %s breaks the grammar', async (_what, chunks) => {
    expect(await failureOf(validateChunks(from(chunks)))).toMatchObject({ code: 'CHUNK_GRAMMAR' });
  });

  it('L4 L5 a well-formed stream passes unchanged', async () => {
    const chunks = [start(0), delta, start(1, 'reasoning'), end];
    chunks.push({ type: 'block-end', index: 1, block: { type: 'reasoning', text: '' } }, usage, finish);

    expect(await collect(validateChunks(from(chunks)))).toEqual(chunks);
  });

  it('L5 a provider error passes the validator unchanged and stays the failure of its call', async () => {
    const ctx = new Context();
    await ctx.plugin(llm);
    await ctx.plugin(chunkValidator);
    const error = new LlmError('busy', 'SERVER');
    ctx.llm.registerAdapter(['test'], new ScriptedAdapter(() => failing(error)));

    const stream = ctx.llm.stream(ask());

    expect(await failureOf(stream)).toBe(error);
    expect(isLlmAdapterFailure(stream, error)).toBe(true);
  });

  it('L5 the mounted validator also judges what a listener answers', async () => {
    const ctx = new Context();
    await ctx.plugin(llm);
    ctx.on('llm/stream', () => from([start(0), finish]));
    await ctx.plugin(chunkValidator);

    expect(await failureOf(ctx.llm.stream(ask()))).toMatchObject({ code: 'CHUNK_GRAMMAR' });
  });

  it('L5 stopping early is no violation', async () => {
    const stream = validateChunks(reply('hello'));

    for await (const chunk of stream) if (chunk.type === 'text-delta') break;

    expect(await collect(stream)).toEqual([]);
  });
});
