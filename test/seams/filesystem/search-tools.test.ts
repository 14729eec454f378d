import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { shellQuote } from '../../../src/seams/bash/shell-quote.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import { BASH_SPAWN_FAILED } from '../../../src/seams/bash/executor.ts';
import type { BashExecSpec } from '../../../src/seams/bash/executor.ts';
import { globTool } from '../../../src/seams/filesystem/glob-tool.ts';
import { grepTool } from '../../../src/seams/filesystem/grep-tool.ts';
import type { SearchToolConfig } from '../../../src/seams/filesystem/has-ripgrep.ts';
import { SandboxPolicyService } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import type { MemoryBashOptions, MemoryCommand } from '../../support/memory-bash.ts';
import { createToolBench } from '../tool-bench.ts';

/** The search tools over an executor that answers every command alike. */
async function searching(
  answer: MemoryCommand,
  options: MemoryBashOptions = {},
  config: SearchToolConfig = { ripgrep: 'present' },
) {
  const bench = await createToolBench();
  const scripts = new Proxy(
    {},
    {
      getOwnPropertyDescriptor: () => ({ value: answer, configurable: true, enumerable: true }),
      get: () => answer,
    },
  );
  const bash = new MemoryBash(scripts, options);
  bench.ctx.provide('bash', bash);
  await bench.ctx.plugin(globTool, config);
  await bench.ctx.plugin(grepTool, config);
  return { bench, bash };
}

/** The words a shell makes of a command whose program is replaced by one that prints them. */
function wordsOf({ command }: BashExecSpec): string[] {
  const script = `rg() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const matches = (count: number) =>
  Array.from({ length: count }, (_, index) => `./f.ts\0${index + 1}:hit ${index}\n`).join('');
const files = (count: number) => Array.from({ length: count }, (_, index) => `./f${index}.ts\0`).join('');

describe('filesystem', () => {
  const hostile = ["'; touch /tmp/x; '", '$(id)', '`id`', '--pre=sh', '-e', 'a\nb', '"', '\\', '!x', '* ?', ''];

  it.each(hostile)('B20 makes one word of %j', (value) => {
    expect(wordsOf({ command: `rg ${shellQuote(value)} end` } as BashExecSpec)).toEqual([value, 'end']);
  });

  it.each(hostile.filter((value) => value !== ''))(
    'B20 N8 gives the search %j as one value, the path after --',
    async (value) => {
      const { bench, bash } = await searching({ exitCode: 1 });

      await bench.call('grep', { pattern: value, path: value });

      const words = wordsOf(bash.specs[0]!);
      expect(words[0]).toBe('--no-config');
      expect(words).toContain(`--regexp=${value}`);
      expect(words.slice(-2)).toEqual(['--', value]);
      expect(words.slice(0, -1).every((word) => word.startsWith('--'))).toBe(true);
    },
  );

  it('N8 names the current directory and gives no stdin', async () => {
    const { bench, bash } = await searching({ exitCode: 1 });

    await bench.call('grep', { pattern: 'x' });
    await bench.call('glob', { pattern: '*.ts', path: 'src' });

    expect(bash.specs.map((spec) => wordsOf(spec).slice(-2))).toEqual([
      ['--', '.'],
      ['--', '.'],
    ]);
    expect(bash.specs.map(({ workdir }) => workdir)).toEqual(['/workspace', '/workspace/src']);
    expect(bash.specs.some((spec) => 'stdin' in spec)).toBe(false);
  });

  it('B20 runs under the policy of the session, within its own limits', async () => {
    const { bench, bash } = await searching({ exitCode: 1 });
    bench.ctx.provide('sandboxPolicy', new SandboxPolicyService({ mode: 'read-only', workspaceRoot: '/workspace' }));

    await bench.call('grep', { pattern: 'x' });

    expect(bash.specs[0]).toMatchObject({
      sandboxPolicy: { mode: 'read-only' },
      timeoutMs: 30_000,
      stdoutMaxBytes: 20_000_000,
    });
  });

  it.each<[string, MemoryCommand, string, RegExp]>([
    [
      'a bad expression',
      { exitCode: 2, stderr: 'regex parse error:\n    a(b\n     ^\n' },
      'SEARCH_INVALID_PATTERN',
      /a\(b/,
    ],
    ['another failure', { exitCode: 2, stderr: 'rg: x: Permission denied\n' }, 'SEARCH_FAILED', /Permission denied/],
    ['death by signal', { signal: 'SIGKILL' }, 'SEARCH_FAILED', /SIGKILL/],
    ['too much output', { stdout: matches(60) }, 'SEARCH_RAW_OUTPUT_OVERFLOW', /narrow/],
    ['a search without end', { durationMs: 60_000 }, 'SEARCH_ABORTED', /narrow/],
  ])('B20 shows no result after %s', async (_what, answer, code, text) => {
    const { bench, bash } = await searching(answer);
    const resolve = bash.resolve.bind(bash);
    bash.resolve = (request) => ({ ...resolve(request), timeoutMs: 20, stdoutMaxBytes: 100 });

    const failure = await bench.failure('grep', { pattern: 'a(b' });

    expect(failure.code).toBe(code);
    expect(failure.text).toMatch(text);
    expect(failure.text).not.toContain('Found');
  });

  it('B20 passes on that the sandbox is gone, and tells an abort', async () => {
    const { bench, bash } = await searching({ durationMs: 60_000 });
    const signal = AbortSignal.timeout(30);
    const aborted = await bench.call('grep', { pattern: 'x' }, { signal });
    expect(aborted).toMatchObject({ isError: true, error: { code: 'SEARCH_ABORTED' } });

    bash.run = () => Promise.reject(Object.assign(new Error('container gone'), { code: 'SANDBOX_UNAVAILABLE' }));

    expect((await bench.failure('grep', { pattern: 'x' })).text).toBe('Error: container gone');
  });

  it.each(['!*.ts', '*.ts,*.js', '*.ts *.js'])('B20 refuses include %j', async (include) => {
    const { bench, bash } = await searching({ exitCode: 1 });

    expect(await bench.failure('grep', { pattern: 'x', include })).toMatchObject({ code: 'SEARCH_INVALID_PATTERN' });
    expect(bash.specs).toEqual([]);
  });

  it('B20 accepts braces in include and an empty one as none', async () => {
    const { bench, bash } = await searching({ exitCode: 1 });

    await bench.call('grep', { pattern: 'x', include: '*.{ts,tsx}' });
    await bench.call('grep', { pattern: 'x', include: '', path: '' });

    expect(wordsOf(bash.specs[0]!)).toContain('--glob=*.{ts,tsx}');
    expect(
      wordsOf(bash.specs[1]!).filter((word) => word.startsWith('--glob=') && !word.startsWith('--glob=!')),
    ).toEqual([]);
  });

  it.each(['!x', '  '])('B20 refuses the glob pattern %j', async (pattern) => {
    const { bench, bash } = await searching({ exitCode: 1 });

    expect((await bench.call('glob', { pattern })).isError).toBe(true);
    expect(bash.specs).toEqual([]);
  });

  it.each([
    [
      'grep',
      { pattern: 'hit' },
      matches(300),
      /^Found 300 matches[\s\S]*Line 250: hit 249\n\n\(Showing only the first 250 of 300/,
    ],
    [
      'glob',
      { pattern: '*.ts' },
      files(120),
      /f99\.ts\n\n\(Showing only the 100 most recently changed of 120 files; other places may be missing/,
    ],
  ])('B20 PR29 stores the complete list of a capped %s and says where', async (name, args, stdout, shown) => {
    const { bench } = await searching({ stdout });
    const saved: string[] = [];
    bench.ctx.provide('spillStore', {
      saveText: async ({ content }: { content: string }) => {
        saved.push(content);
        return { locator: '/dsh/spill/1', bytes: content.length, retrievalHint: 'Open it with read.' };
      },
    } as never);

    const text = await bench.text(name, args);

    expect(text).toMatch(shown);
    expect(text).toMatch(/Complete list: \/dsh\/spill\/1\. Open it with read\. Or narrow/);
    expect(saved).toHaveLength(1);
    expect(saved[0]).toMatch(name === 'grep' ? /Line 300: hit 299$/ : /f119\.ts$/);
  });

  it('B20 keeps the page when the complete list cannot be stored, and says so', async () => {
    const { bench } = await searching({ stdout: matches(300) });
    bench.ctx.provide('spillStore', { saveText: () => Promise.reject(new Error('disk full')) } as never);

    const text = await bench.text('grep', { pattern: 'hit' });

    expect(text).toContain('Line 250: hit 249');
    expect(text).toContain('could not be stored');
  });

  it('B20 shows exactly as many as the cap without a note', async () => {
    const { bench } = await searching({ stdout: files(100) });

    expect((await bench.text('glob', { pattern: '*.ts' })).split('\n')).toHaveLength(100);
  });

  it('B20 says that a binary file matches instead of that nothing does', async () => {
    const { bench } = await searching({ stdout: 'bin.dat: binary file matches (found "\\0" byte around offset 8)\n' });

    expect(await bench.text('grep', { pattern: 'x', path: 'bin.dat' })).toMatch(/binary/);
  });

  it('B20 registers the search tools only where the program is found', async () => {
    const without = await searching({ exitCode: 1 }, {}, {});
    const withIt = await searching({ stdout: '/usr/bin/rg\n' }, {}, {});

    expect([without.bench.ctx.tools.get('grep'), without.bench.ctx.tools.get('glob')]).toEqual([undefined, undefined]);
    expect(withIt.bench.ctx.tools.schemas().map(({ name }) => name)).toEqual(expect.arrayContaining(['grep', 'glob']));
    expect(withIt.bash.specs[0]?.command).toBe('command -v rg');
  });
});

describe('prompts', () => {
  it('PR28 answers a wrong place with the nearest ones', async () => {
    const { bench, bash } = await searching({
      exitCode: 2,
      stderr: 'rg: src/user.ts: No such file or directory (os error 2)\n',
    });
    bench.ctx.provide('fs', new MemoryFileSystem({ 'lib/user.ts': 'x' }));

    const grep = await bench.failure('grep', { pattern: 'x', path: 'src/user.ts' });
    bash.run = () => Promise.reject(new HarnessError('no such directory', BASH_SPAWN_FAILED));
    const glob = await bench.failure('glob', { pattern: 'x', path: 'libs' });

    expect(grep).toEqual({
      code: 'SEARCH_FAILED',
      text: 'Error: src/user.ts is not a place that can be searched — did you mean one of these?\nlib/user.ts',
    });
    expect(glob.text.split('\n')[1]).toBe('lib');
  });

  it.each([
    ['glob', ['100 at most', 'narrow the pattern or the path', 'No files found', 'grep']],
    ['grep', ['250 matches at most', 'narrow the pattern, path or include', 'No matches found', 'glob']],
  ])('PR22 PR24 the description of %s names limits and what to narrow, in 200 tokens', async (name, phrases) => {
    const { bench } = await searching({});

    const description = bench.ctx.tools.get(name)!.description;

    for (const phrase of phrases) expect(description).toContain(phrase);
    expect(description.length / 4).toBeLessThanOrEqual(200);
  });
});
