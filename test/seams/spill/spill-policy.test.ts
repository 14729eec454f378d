import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContentBlock } from '../../../src/harness/llm/types.ts';
import { defineTool } from '../../../src/harness/tools/define-tool.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { localSpill } from '../../../src/seams/spill/local-spill.ts';
import { spillPolicy } from '../../../src/seams/spill/spill-policy.ts';
import { SpillLocator, SpillStore } from '../../../src/seams/spill/spill-store.ts';
import type { SaveTextSpill, SpillRef } from '../../../src/seams/spill/spill-store.ts';
import { spilledText } from '../../../src/seams/spill/spilled-text.ts';
import { createToolBench } from '../tool-bench.ts';
import type { ToolBench } from '../tool-bench.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');
const NOTICE = /\n\n\(Omitted (\d+) bytes\. Full formatted result stored at: (\S+)\. ([^()]+(?:\([^()]*\)[^()]*)?)\)$/;

/** Keeps in memory what it is given. */
class MemorySpillStore extends SpillStore {
  readonly saved: SaveTextSpill[] = [];

  async saveText(input: SaveTextSpill): Promise<SpillRef> {
    this.saved.push(input);
    const locator = SpillLocator(`mem:${this.saved.length}`);
    return { locator, bytes: bytesOf(input.content), retrievalHint: 'Ask for it.' };
  }
}

let bench: ToolBench;
let store: MemorySpillStore;
let problems: unknown[];
beforeEach(async () => {
  bench = await createToolBench();
  store = new MemorySpillStore();
  problems = [];
  bench.ctx.on('kernel/error', (error, origin) => void problems.push([origin, (error as { code?: string }).code]));
});
afterEach(() => bench.ctx.fiber.dispose());

function addTool(name: string, content: ContentBlock[] | Error): void {
  const execute = async () => {
    if (!Array.isArray(content)) throw content;
    return content;
  };
  bench.ctx.tools.register(defineTool({ name, description: name, parameters: {}, execute }));
}
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

async function mount(maxInlineBytes: number, withStore = true) {
  if (withStore) bench.ctx.provide('spillStore', store);
  const fiber = bench.ctx.plugin(spillPolicy, { maxInlineBytes });
  await fiber;
  return { unload: () => fiber.dispose() };
}

describe('spill', () => {
  it('SP8 without a cap nothing is registered and nothing is bounded', async () => {
    const listening = () =>
      bench.ctx.waterfall('tools/post-execute', {} as never, { content: [], isError: false }, () => 'plain' as never);
    bench.ctx.provide('spillStore', store);
    await bench.ctx.plugin(spillPolicy, {});
    await bench.ctx.plugin(spillPolicy);
    addTool('long', [text(lines(10_000))]);

    expect(listening()).toBe('plain');
    expect(await bench.text('long', {})).toBe(lines(10_000));
    expect(store.saved).toEqual([]);
  });

  it.each([-1, 1.5, NaN, Infinity])('SP8 a cap of %s fails when it is mounted', async (maxInlineBytes) => {
    await expect(mount(maxInlineBytes)).rejects.toMatchObject({ code: 'SPILL_CONFIG_INVALID' });
  });

  it.each([
    ['mounted before', true],
    ['mounted after', false],
  ])('SP9 what another listener made of a result is bounded, %s', async (_order, isFirst) => {
    const grow = () =>
      void bench.ctx.on('tools/post-execute', async () => ({ kind: 'accept', content: [text(lines(500))] }));
    if (isFirst) grow();
    await mount(1_000);
    if (!isFirst) grow();
    addTool('short', [text('short')]);

    expect(bytesOf(await bench.text('short', {}))).toBeLessThanOrEqual(1_000);
    expect(store.saved[0]!.content).toBe(lines(500));
  });

  it('SP9 a result that another listener made short is left alone', async () => {
    await mount(1_000);
    bench.ctx.on('tools/post-execute', async () => ({ kind: 'accept', content: [text('short')] }));
    addTool('long', [text(lines(500))]);

    expect(await bench.text('long', {})).toBe('short');
    expect(store.saved).toEqual([]);
  });

  it('SP9 a block passes untouched', async () => {
    await mount(1_000);
    bench.ctx.on('tools/post-execute', async () => ({ kind: 'block', feedback: [text(lines(500))] }));
    addTool('short', [text('short')]);

    expect(await bench.call('short', {})).toMatchObject({ content: [text(lines(500))], isError: true });
    expect(store.saved).toEqual([]);
  });

  it('SP10 results of read, results that are not all text, and results of exactly the cap are untouched', async () => {
    await mount(1_000);
    const image = { type: 'reasoning', text: lines(500) } as ContentBlock;
    addTool('read', [text(lines(500))]);
    addTool('mixed', [text(lines(500)), image]);
    addTool('exact', [text('é'.repeat(500))]);

    expect(await bench.text('read', {})).toBe(lines(500));
    expect((await bench.call('mixed', {})).content).toEqual([text(lines(500)), image]);
    expect(await bench.text('exact', {})).toBe('é'.repeat(500));
    expect(store.saved).toEqual([]);
  });

  it('SP10 SP11 one byte more than the cap is stored and replaced, as is a failure', async () => {
    await mount(1_000);
    addTool('over', [text(`${'é'.repeat(500)}x`)]);
    addTool('broken', new HarnessError(lines(500), 'TEST_BROKEN'));

    expect(await bench.text('over', {})).toMatch(NOTICE);
    const { text: failure, code } = await bench.failure('broken', {});
    expect(failure).toMatch(NOTICE);
    expect(code).toBe('TEST_BROKEN');
  });

  it('SP11 saves the full text for the session of the call, and shows head, tail and where the rest is', async () => {
    await mount(1_000);
    addTool('long', [text(lines(200)), text(lines(200))]);

    const shown = await bench.text('long', {});

    const full = `${lines(200)}\n${lines(200)}`;
    expect(store.saved).toEqual([
      {
        owner: { sessionId: 'session-1' },
        source: { toolName: 'long', callId: 'call-1', label: 'result' },
        suggestedName: 'long.txt',
        content: full,
      },
    ]);
    const [, omitted, locator, hint] = NOTICE.exec(shown)!;
    const [head, tail] = shown.replace(NOTICE, '').split(`[... ${omitted} bytes omitted ...]\n`) as [string, string];
    expect([locator, hint]).toEqual(['mem:1', 'Ask for it.']);
    expect(full.startsWith(head) && full.endsWith(tail)).toBe(true);
    expect(bytesOf(head) + Number(omitted) + bytesOf(tail)).toBe(bytesOf(full));
  });

  it('SP12 the room that the notice leaves is shared in halves, and nearly all of it is used', async () => {
    await mount(1_000);
    addTool('long', [text('x'.repeat(5_000))]);

    const shown = await bench.text('long', {});

    const [head, tail] = shown.replace(NOTICE, '').split(/\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n/) as [string, string];
    expect(bytesOf(shown)).toBeLessThanOrEqual(1_000);
    expect(bytesOf(shown)).toBeGreaterThan(990);
    expect(head.length - tail.length).toBeGreaterThanOrEqual(0);
    expect(head.length - tail.length).toBeLessThanOrEqual(1);
  });

  it('SP12 SP13 whatever the text and the cap, the replacement fits, and is there when its notice fits', () => {
    const content = fc.array(fc.constantFrom('a', '\n', 'é', '😀', 'word '), { minLength: 1, maxLength: 1_500 });
    const ref = { locator: SpillLocator('mem:1'), bytes: 1, retrievalHint: 'Ask.' };

    fc.assert(
      fc.property(content, fc.nat(600), (parts, maxBytes) => {
        const full = parts.join('');
        fc.pre(bytesOf(full) > maxBytes);
        const notice = `(Omitted ${bytesOf(full)} bytes. Full formatted result stored at: mem:1. Ask.)`;
        const shown = spilledText(full, ref, maxBytes);

        if (bytesOf(notice) > maxBytes) return expect(shown).toBeUndefined();
        expect(bytesOf(shown!)).toBeLessThanOrEqual(maxBytes);
        const [, omitted] = /\(Omitted (\d+) byte/.exec(shown!)!;
        const preview = shown!.replace(/\n\n\(Omitted .*$/, '');
        if (preview === shown) return expect(shown).toBe(notice);
        const [head, tail] = preview.split(`[... ${omitted} bytes omitted ...]\n`) as [string, string];
        const isCutLine = !full.startsWith(head);
        expect(full.startsWith(isCutLine ? head.slice(0, -1) : head)).toBe(true);
        expect(full.endsWith(tail)).toBe(true);
        expect(Number(omitted)).toBe(bytesOf(full) - bytesOf(head) - bytesOf(tail) + (isCutLine ? 1 : 0));
      }),
    );
  });

  it('SP12 with no room for a preview the notice stands alone', async () => {
    const notice = '(Omitted 5000 bytes. Full formatted result stored at: mem:1. Ask for it.)';
    await mount(bytesOf(notice) + 10);
    addTool('long', [text('x'.repeat(5_000))]);

    expect(await bench.text('long', {})).toBe(notice);
  });

  it('SP13 a result stays as it is when not even the notice fits', async () => {
    await mount(20);
    addTool('long', [text('x'.repeat(5_000))]);

    expect(await bench.text('long', {})).toBe('x'.repeat(5_000));
    expect(store.saved).toHaveLength(1);
  });

  it('SP14 without a store or a session the result stays, and somebody is told', async () => {
    await mount(1_000, false);
    addTool('long', [text(lines(500))]);
    expect(await bench.text('long', {})).toBe(lines(500));
    bench.ctx.provide('spillStore', store);

    expect(await bench.text('long', {}, { agent: null })).toBe(lines(500));

    expect(problems).toEqual([
      ['spill', 'SPILL_NO_STORE'],
      ['spill', 'SPILL_NO_OWNER'],
    ]);
    expect(store.saved).toEqual([]);
  });

  it('SP14 a store that fails costs the copy, not the result', async () => {
    store.saveText = async () => {
      throw new HarnessError('disk full', 'TEST_FULL');
    };
    await mount(1_000);
    addTool('long', [text(lines(500))]);

    expect(await bench.call('long', {})).toMatchObject({ content: [text(lines(500))], isError: false });
    expect(problems).toEqual([['spill', 'TEST_FULL']]);
  });

  it('SP15 contexts of the accepted decision are kept', async () => {
    await mount(1_000);
    const context = { source: { kind: 'hook', name: 'test' }, content: [text('mind this')] } as never;
    bench.ctx.on('tools/post-execute', async (_exec, _result, next) => ({
      ...((await next()) as { kind: 'accept' }),
      additionalContexts: [context],
    }));
    addTool('long', [text(lines(500))]);

    const result = await bench.call('long', {});

    expect(result.additionalContexts).toEqual([context]);
    expect(bytesOf((result.content[0] as { text: string }).text)).toBeLessThanOrEqual(1_000);
  });

  it('SP16 nothing is replaced once the plugin is unloaded', async () => {
    const { unload } = await mount(1_000);
    addTool('long', [text(lines(500))]);
    await bench.text('long', {});

    await unload();

    expect(await bench.text('long', {})).toBe(lines(500));
    expect(store.saved).toHaveLength(1);
  });
});

describe('prompts', () => {
  it('PR29 head and tail end on line borders, and the omitted bytes and the way to them are named', async () => {
    await mount(1_000);
    addTool('long', [text(lines(5_000))]);

    const shown = await bench.text('long', {});

    const [head, tail] = shown.replace(NOTICE, '').split(/\[\.\.\. \d+ bytes omitted \.\.\.\]\n/) as [string, string];
    expect(head).toMatch(/^(line \d+\n)+$/);
    expect(tail).toMatch(/^(line \d+\n)+$/);
    expect(tail).toMatch(/line 4999\n$/);
  });

  it('PR29 one line that is most of a text does not cost its part of the preview', async () => {
    await mount(1_000);
    addTool('long', [text(`first\n${'x'.repeat(50_000)}\nlast`)]);

    expect(bytesOf(await bench.text('long', {}))).toBeGreaterThan(990);
  });
});

describe('cases', () => {
  it('M20 a tool result of 2 MB becomes a few KiB with a pointer to all of it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'dsh-spill-test-'));
    await bench.ctx.plugin(localSpill, { root });
    await mount(24 * 1024, false);
    const huge = lines(150_000);
    addTool('huge', [text(huge)]);

    const shown = await bench.text('huge', {});

    const [, , locator] = NOTICE.exec(shown)!;
    expect(bytesOf(huge)).toBeGreaterThan(1.5e6);
    expect(bytesOf(shown)).toBeLessThanOrEqual(24 * 1024);
    expect(await readFile(locator!, 'utf8')).toBe(huge);
    expect(await readdir(root)).toHaveLength(1);
    await rm(root, { recursive: true });
  });
});
