import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BashExecutor } from '../../../src/seams/bash/executor.ts';
import { globTool } from '../../../src/seams/filesystem/glob-tool.ts';
import { grepTool } from '../../../src/seams/filesystem/grep-tool.ts';
import { createToolBench } from '../tool-bench.ts';
import type { ToolBench } from '../tool-bench.ts';

/** A real shell with `rg`; `put` writes below `root`, the work tree as commands see it. */
export interface SearchFixture {
  bash: BashExecutor;
  root: string;
  put(path: string, content: string): Promise<void>;
  close(): Promise<void>;
}

/** What `glob` and `grep` find where the search program really runs. */
export function runSearchContract(title: string, make: () => Promise<SearchFixture>): void {
  describe('filesystem', () => {
    describe(title, () => {
      let fixture: SearchFixture;
      let bench: ToolBench;
      beforeEach(async () => {
        fixture = await make();
        bench = await createToolBench();
        bench.ctx.provide('bash', fixture.bash);
        await bench.ctx.plugin(globTool);
        await bench.ctx.plugin(grepTool);
      });
      afterEach(() => fixture.close());

      const asker = () => ({ agent: bench.newAgent('searching', fixture.root) });
      const search = (name: string, args: object) => bench.text(name, args, asker());
      const found = async (args: object) => (await search('glob', args)).split('\n').sort();

      it('B20 finds hidden and ignored files, but nothing of version control', async () => {
        for (const path of ['.gitignore', '.env.ts', 'dist/out.ts', 'src/a.ts', '.git/hooks/x.ts', 'sub/.hg/y.ts']) {
          await fixture.put(path, 'dist\n');
        }

        expect(await found({ pattern: '*.ts' })).toEqual(['.env.ts', 'dist/out.ts', 'src/a.ts']);
      });

      it('B20 takes a pattern with a slash from the directory that is searched', async () => {
        for (const path of ['pkg/src/a.ts', 'pkg/src/deep/b.ts', 'src/c.ts']) await fixture.put(path, 'x');

        expect(await found({ pattern: 'src/**/*.ts', path: 'pkg' })).toEqual(['pkg/src/a.ts', 'pkg/src/deep/b.ts']);
        expect(await found({ pattern: 'src/*.ts', path: `${fixture.root}/pkg` })).toEqual([
          `${fixture.root}/pkg/src/a.ts`,
        ]);
        expect(await found({ pattern: '*.rb' })).toEqual(['No files found']);
      });

      it('B20 finds lines by file and number', async () => {
        await fixture.put('b.txt', 'needle b\n');
        await fixture.put('a/a.txt', 'x\nthe needle\r\ny\nneedle again\n');
        await fixture.put('.git/config', 'needle\n');

        expect(await search('grep', { pattern: 'needle' })).toBe(
          'Found 3 matches\na/a.txt:\n  Line 2: the needle\n  Line 4: needle again\n\nb.txt:\n  Line 1: needle b',
        );
        expect(await search('grep', { pattern: 'nothing' })).toBe('No matches found');
      });

      it('B20 searches one file, or only what include names', async () => {
        for (const path of ['a.ts', 'b.tsx', 'c.js']) await fixture.put(path, 'needle\n');

        expect(await search('grep', { pattern: 'needle', path: 'c.js' })).toMatch(/^Found 1 match\nc\.js:/);
        expect(await search('grep', { pattern: 'needle', include: '*.{ts,tsx}' })).toMatch(
          /^Found 2 matches\na\.ts:[\s\S]*b\.tsx:/,
        );
      });

      it('B20 takes every value literally for the shell', async () => {
        const name = `it's $(touch pwned) "; -x.txt`;
        await fixture.put(name, "needle $(echo pwned) 'quoted'\n-rf\n");

        expect(await search('grep', { pattern: "\\$\\(echo pwned\\) 'quoted'" })).toContain('Line 1');
        expect(await search('grep', { pattern: '-rf', path: name })).toContain('Line 2: -rf');
        expect(await found({ pattern: `*touch pwned*` })).toEqual([name]);
        expect(await found({ pattern: '*' })).toEqual([name]);
      });

      it('B20 calls a bad expression and a bad glob by their name', async () => {
        await fixture.put('a.txt', 'x');

        const regex = await bench.failure('grep', { pattern: 'a(b' }, asker());
        const glob = await bench.failure('glob', { pattern: 'a[b' }, asker());

        expect([regex.code, glob.code]).toEqual(['SEARCH_INVALID_PATTERN', 'SEARCH_INVALID_PATTERN']);
        expect(regex.text).toMatch(/^Error: the pattern is not valid — correct it\n[\s\S]*a\(b/);
      });

      it('B20 fails for a place that is not there', async () => {
        const grep = await bench.failure('grep', { pattern: 'x', path: 'missing' }, asker());
        const glob = await bench.failure('glob', { pattern: 'x', path: 'missing' }, asker());

        expect([grep.code, glob.code]).toEqual(['SEARCH_FAILED', 'SEARCH_FAILED']);
        for (const { text } of [grep, glob])
          expect(text).toMatch(/^Error: missing is not a place that can be searched — /);
      });

      it('N8 P8 takes no configuration from the environment and does not wait for stdin', async () => {
        await fixture.put('a.txt', 'needle\n');
        await fixture.put('.ripgreprc', '--files-with-matches\n');

        expect(await search('grep', { pattern: 'needle' })).toContain('Line 1: needle');
      });

      it('N10 quotes names that could imitate other lines', async () => {
        await fixture.put('a\n  Line 9: fake.txt', 'needle\n');

        expect(await search('grep', { pattern: 'needle' })).toContain('"a\\n  Line 9: fake.txt":\n  Line 1: needle');
        expect(await search('glob', { pattern: '*.txt' })).toBe('"a\\n  Line 9: fake.txt"');
      });

      it('PR29 cuts long lines and says so', async () => {
        await fixture.put('min.js', `needle${'x'.repeat(5_000)}\n`);

        const text = await search('grep', { pattern: 'needle' });

        expect(text.length).toBeLessThan(2_200);
        expect(text).toMatch(/\[\.\.\. .*\]$/);
      });
    });
  });
}
