import { describe, expect, it } from '@jest/globals';
import { BlockAssembler } from '../../../src/harness/llm/block-assembler.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { ContentBlockType, StreamChunk } from '../../../src/harness/llm/types.ts';

function assemble(...chunks: StreamChunk[]): BlockAssembler {
  const assembler = new BlockAssembler();
  for (const chunk of chunks) assembler.push(chunk);
  return assembler;
}

const text = (index: number, value: string): StreamChunk => ({ type: 'text-delta', index, text: value });
const endText = (index: number, value: string): StreamChunk => ({
  type: 'block-end',
  index,
  block: { type: 'text', text: value },
});

describe('llm-streaming', () => {
  it('L6 tool arguments stay the text they were, whatever they are', () => {
    const cut = '{"command": "ls\n\\d ,';
    const assembler = assemble(
      { type: 'tool-call-delta', index: 0, id: CallId('c'), name: 'bash', argumentsDelta: cut.slice(0, 5) },
      { type: 'tool-call-delta', index: 0, id: CallId('c'), argumentsDelta: cut.slice(5) },
    );

    expect(assembler.blocks()).toEqual([{ type: 'tool-call', id: 'c', name: 'bash', arguments: cut }]);
  });

  it('L8 blocks come out in the order their indexes were first seen', () => {
    const assembler = assemble(text(5, 'first'), text(2, 'second'), text(5, ' more'), endText(2, 'second'));

    expect(assembler.blocks()).toEqual([
      { type: 'text', text: 'first more' },
      { type: 'text', text: 'second' },
    ]);
  });

  it('L8 a repeated start is ignored and deltas open a block by themselves', () => {
    const assembler = assemble(text(0, 'a'), { type: 'block-start', index: 0, blockType: 'text' }, text(0, 'b'));

    expect(assembler.blocks()).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('L8 the first end wins, and what comes later on its index is dropped', () => {
    const assembler = assemble(text(0, 'draft'), endText(0, 'final'), text(0, ' more'), endText(0, 'other'));

    expect(assembler.blocks()).toEqual([{ type: 'text', text: 'final' }]);
  });

  it('L9 an open call without id and name gets placeholders', () => {
    const assembler = assemble({ type: 'block-start', index: 3, blockType: 'tool-call' });

    expect(assembler.blocks()).toEqual([{ type: 'tool-call', id: 'call-3', name: '', arguments: '' }]);
  });

  it('L9 an open block of an unknown kind cannot be assembled, an ended one can', () => {
    const blockType = 'image' as ContentBlockType;
    const assembler = assemble({ type: 'block-start', index: 0, blockType });
    expect(() => assembler.blocks()).toThrow(/image/);

    const block = { type: 'image', url: 'x' } as never;
    assembler.push({ type: 'block-end', index: 0, block });

    expect(assembler.blocks()).toEqual([block]);
  });

  it('L9 without a finish the reason is stop, and blocks() can be repeated', () => {
    const assembler = assemble(text(0, 'a'));
    expect(assembler.finish).toEqual({ kind: 'stop' });
    expect(assembler.blocks()).toEqual(assembler.blocks());

    assembler.push(text(0, 'b'));

    expect(assembler.message()).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'ab' }] });
  });

  it('L8 usage, finish and replay state are kept as they came', () => {
    const assembler = assemble(
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5 } },
      { type: 'finish', reason: { kind: 'max-tokens' }, replayState: { id: 'r' } },
    );

    expect(assembler.usage).toEqual({ inputTokens: 3, outputTokens: 4, cacheReadTokens: 5 });
    expect(assembler.finish).toEqual({ kind: 'max-tokens' });
    expect(assembler.replayState).toEqual({ id: 'r' });
  });
});
