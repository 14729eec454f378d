import { describe, expect, it } from '@jest/globals';
import type { ToolExecution } from '../../../src/harness/tools/types.ts';
import { readTool } from '../../../src/seams/filesystem/read-tool.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { createToolBench } from '../tool-bench.ts';
import { fileBench } from './file-bench.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('filesystem', () => {
  it('B2 resolves relative paths in the directory of the calling session', async () => {
    const { bench } = await fileBench({ '/workspace/a.txt': 'here', '/other/a.txt': 'there' });
    const other = bench.newAgent('session-2', '/other');

    expect(await bench.text('read', { file_path: 'a.txt' }, { agent: other })).toContain('1: there');
    expect(await bench.text('read', { file_path: '/workspace/a.txt' }, { agent: other })).toContain('1: here');
    expect(await bench.text('read', { file_path: 'a.txt' }, { agent: null })).toContain('1: here');
  });

  it('B2 resolves mutations at the root of the call policy', async () => {
    const { bench, fs } = await fileBench({}, { guarded: false });
    const policy = { mode: 'workspace-write', workspaceRoot: '/workspace/real' };
    bench.ctx.provide('sandboxPolicy', { resolve: () => policy } as never);

    await bench.call('write', { file_path: 'a.txt', content: 'x' });

    expect(fs.textOf('/workspace/real/a.txt')).toBe('x');
  });

  it('B19 PR24 reads lines with their numbers and says where the file ends', async () => {
    const { bench } = await fileBench({ 'a.txt': 'one\r\ntwo\n\nlast' });

    expect(await bench.text('read', { file_path: 'a.txt' })).toBe(
      '<path>a.txt</path>\n<type>file</type>\n<content>\n1: one\n2: two\n3: \n4: last\n</content>\n(end of file, 4 lines)',
    );
  });

  it('B19 finds nothing past the end, but reads an empty file', async () => {
    const { bench } = await fileBench({ 'a.txt': 'one\ntwo\n', 'empty.txt': '' });

    const past = await bench.failure('read', { file_path: 'a.txt', offset: 3 });

    expect(past).toMatchObject({ code: 'FS_NOT_FOUND' });
    expect(past.text).toBe('Error: offset 3 is past the end — the file has 2 lines');
    expect(await bench.text('read', { file_path: 'empty.txt' })).toContain('(empty file)');
    expect(await bench.text('read', { file_path: 'a.txt', offset: 2 })).toContain('2: two');
  });

  it('B15 B19 streams a huge file instead of reading it whole', async () => {
    const { bench, fs } = await fileBench({ 'huge.txt': `first\n${'x'.repeat(11 * 1024 * 1024)}\nlast\n` });

    const text = await bench.text('read', { file_path: 'huge.txt' });

    expect(fs.calls).toContain('streamText');
    expect(fs.calls).not.toContain('readText');
    expect(text).toMatch(/3: last\n/);
    expect(text.length).toBeLessThan(3_000);
  });

  it('N10 quotes a name with control characters and names an LFS pointer', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n';
    const { bench } = await fileBench({ 'a\nb.txt': 'x', 'big.bin': pointer });

    expect(await bench.text('read', { file_path: 'a\nb.txt' })).toContain('<path>"a\\nb.txt"</path>');
    expect(await bench.text('read', { file_path: 'big.bin' })).toMatch(/Git LFS pointer/);
  });

  it('N10 refuses to write more than 5 MiB', async () => {
    const { bench, fs } = await fileBench({});

    const { code } = await bench.failure('write', { file_path: 'a.txt', content: 'x'.repeat(5 * 1024 * 1024 + 1) });

    expect(code).toBe('INVALID_ARGS');
    expect(fs.textOf('a.txt')).toBeUndefined();
  });

  it('N9 B18 returns diffs of an overwrite and an edit, three lines around each change', async () => {
    const lines = numbered(30);
    const { bench } = await fileBench({ 'a.txt': lines });
    await bench.text('read', { file_path: 'a.txt' });

    const edit = await bench.call('edit', { file_path: 'a.txt', old_string: 'line 15\n', new_string: '' });
    const changed = lines.replace('line 2\n', 'LINE 2\n').replace('line 28\n', 'LINE 28\n');
    const write = await bench.call('write', { file_path: 'a.txt', content: changed });

    expect(edit.meta).toEqual({
      diffs: [
        {
          path: 'a.txt',
          oldText: 'line 12\nline 13\nline 14\nline 15\nline 16\nline 17\nline 18\n',
          newText: 'line 12\nline 13\nline 14\nline 16\nline 17\nline 18\n',
        },
      ],
    });
    expect((write.meta as { diffs: { newText: string }[] }).diffs.map(({ newText }) => newText)).toEqual([
      'line 1\nLINE 2\nline 3\nline 4\nline 5\n',
      'line 12\nline 13\nline 14\nline 15\nline 16\nline 17\nline 18\n',
      'line 25\nline 26\nline 27\nLINE 28\nline 29\nline 30\n',
    ]);
    const view = bench.ctx.tools
      .get('edit')
      ?.presentResult?.({ file_path: 'a.txt', old_string: 'line 15\n', new_string: '' }, edit);
    expect(view).toEqual({ card: 'diff', ...(edit.meta as object) });
  });

  it('B7 PR24 replaces every place only when told so', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'x x x' }, { guarded: false });

    const text = await bench.text('edit', { file_path: 'a.txt', old_string: 'x', new_string: '$&', replace_all: true });

    expect(text).toBe('Replaced 3 places in a.txt.');
    expect(fs.textOf('a.txt')).toBe('$& $& $&');
  });

  it('B15 lets reads overlap and keeps mutations apart', async () => {
    const { bench } = await fileBench({ 'a.txt': 'x' });
    const modeOf = (name: string, args: unknown) =>
      bench.ctx.tools.executionMode({ name, arguments: args, agent: bench.agent } as unknown as ToolExecution).kind;

    expect(modeOf('read', { file_path: 'a.txt' })).toBe('parallel');
    expect(modeOf('write', { file_path: 'a.txt', content: 'x' })).toBe('exclusive');
    expect(modeOf('edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' })).toBe('exclusive');
  });
});

describe('prompts', () => {
  it('PR29 names every cap of a read and the way to go on', async () => {
    const { bench } = await fileBench({
      'long.txt': numbered(2_500),
      'wide.txt': `${'x'.repeat(150)}\n`.repeat(1_000),
    });

    const first = await bench.text('read', { file_path: 'long.txt' });
    const rest = await bench.text('read', { file_path: 'long.txt', offset: 2_001 });
    const wide = await bench.text('read', { file_path: 'wide.txt' });
    const window = await bench.text('read', { file_path: 'long.txt', offset: 10, limit: 2 });

    expect(first).toMatch(/2000: line 2000\n<\/content>\n\(lines 1-2000 of 2500; continue with offset 2001\)$/);
    expect(rest).toMatch(/2500: line 2500\n<\/content>\n\(lines 2001-2500 of 2500, end of file\)$/);
    expect(wide).toMatch(/\(lines 1-\d+ of 1000, output capped at 50 KiB; continue with offset \d+\)$/);
    expect(Buffer.byteLength(wide)).toBeLessThan(60_000);
    expect(window).toContain('\n<content>\n10: line 10\n11: line 11\n</content>\n');
  });

  it('PR29 cuts a long line with a mark and without breaking a character', async () => {
    const { bench } = await fileBench({ 'a.txt': `${'x'.repeat(1_999)}😀${'y'.repeat(99)}\nnext` });

    const text = await bench.text('read', { file_path: 'a.txt' });

    expect(text).toContain(`1: ${'x'.repeat(1_999)} [... 101 more characters]\n2: next`);
  });

  it.each([
    [{ offset: 0 }, 'offset is 0'],
    [{ offset: 1.5 }, 'offset is 1.5'],
    [{ limit: -1 }, 'limit is -1'],
    [{ file_path: ' ' }, 'file_path is blank'],
  ])('PR28 refuses %j and says what to give', async (args, text) => {
    const { bench } = await fileBench({ 'a.txt': 'one' });

    const failure = await bench.failure('read', { file_path: 'a.txt', ...args });

    expect(failure.code).toBe('INVALID_ARGS');
    expect(failure.text).toContain(text);
  });

  it('PR24 says whether a write created or updated, and does not echo', async () => {
    const { bench } = await fileBench({}, { guarded: false });

    const created = await bench.text('write', { file_path: 'a.txt', content: 'secret text' });
    const updated = await bench.text('write', { file_path: 'a.txt', content: 'secret text 2' });

    expect(created).toBe('<path>a.txt</path>\n<type>file</type>\n<status>created</status>');
    expect(updated).toContain('<status>updated</status>');
    expect(updated).not.toContain('secret');
  });

  it.each([
    ['read', ['unlocks edit', 'offset and limit', 'not part of the file']],
    [
      'edit',
      [
        'without the line numbers',
        'one place',
        'replace_all',
        'enough lines around',
        'several calls in one message',
        'no placeholder',
      ],
    ],
    ['write', ['new one', 'rewritten from top to bottom', 'read first']],
  ])('PR22 PR24 the description of %s says what its user must know, in 200 tokens', async (name, phrases) => {
    const { bench } = await fileBench({});

    const description = bench.ctx.tools.get(name)!.description.toLowerCase();

    for (const phrase of phrases) expect(description).toContain(phrase.toLowerCase());
    expect(description.length / 4).toBeLessThanOrEqual(200);
  });

  it('PR21 PR24 says nothing of changing files where the tree can only be read', async () => {
    const bench = await createToolBench();
    bench.ctx.provide('fs', new MemoryFileSystem());
    await bench.ctx.plugin(readTool, { treeIsReadOnly: true });

    expect(bench.ctx.tools.get('read')?.description).not.toMatch(/\b(edit|write)\b/);
  });

  it('PR27 asks in the prompt for independent reads in one message', async () => {
    const { bench } = await fileBench({});

    const { sections } = await bench.ctx.systemPrompt.assemble();

    expect(sections.map(({ name }) => name)).toEqual(expect.arrayContaining(['tool:read', 'tool:write', 'tool:edit']));
    expect(sections.find(({ name }) => name === 'tool:read')?.text).toMatch(/in one message.*waits for it/s);
  });

  it('PR21 says nothing of a tool that the agent cannot call', async () => {
    const { bench } = await fileBench({});
    const hidden = { tools: { get: () => undefined } };

    const sections = (await bench.ctx.systemPrompt.assemble()).sections.filter(({ name }) => name.startsWith('tool:'));
    expect(sections.every(({ text }) => text !== '')).toBe(true);

    Object.defineProperty(bench.ctx.root, 'tools', { value: hidden.tools, configurable: true });
    const without = (await bench.ctx.systemPrompt.assemble()).sections.filter(({ name }) => name.startsWith('tool:'));
    expect(without.every(({ text }) => text === '')).toBe(true);
  });
});
