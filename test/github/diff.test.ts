import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from '@jest/globals';
import { commentableLines } from '../../src/github/diff/commentable-lines.ts';
import { parseGitDiff } from '../../src/github/diff/parse-git-diff.ts';
import { parseHunks } from '../../src/github/diff/parse-hunks.ts';
import type { DiffFile } from '../../src/github/diff/types.ts';
import { unquotePath } from '../../src/github/diff/unquote-path.ts';
import { diffCommits } from '../../src/github/git/diff-commits.ts';
import { GIT_ENV, GitFixture, runGit, writeFiles, type Content } from './support/git-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-diff-'));
runGit(folder, 'init', '--quiet');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The tree of some files, and git's diff between two such. */
function treeOf(files: Record<string, Content>): string {
  writeFiles(
    folder,
    Object.fromEntries(
      runGit(folder, 'ls-files', '-z')
        .split('\0')
        .filter(Boolean)
        .map((path) => [path, undefined]),
    ),
  );
  writeFiles(folder, files);
  runGit(folder, 'add', '--all', '--force');
  return runGit(folder, 'write-tree');
}

async function diffOf(before: Record<string, Content>, after: Record<string, Content>): Promise<string> {
  return await diffCommits({ gitDir: join(folder, '.git') }, treeOf(before), treeOf(after), ['--binary']);
}

/** What `git apply` counts: `added deleted path`, with `-` for binary files. */
function numstat(diff: string): string[] {
  if (diff === '') return [];
  const input = { input: diff, env: GIT_ENV, cwd: folder, encoding: 'utf8' as const };
  return execFileSync('git', ['apply', '--numstat', '--whitespace=nowarn', '-z', '-'], input)
    .split('\0')
    .filter(Boolean);
}

function ourNumstat(files: DiffFile[]): string[] {
  return files.map(({ additions, deletions, path, content }) => {
    const counts = content === 'binary' ? '-\t-' : `${additions}\t${deletions}`;
    return `${counts}\t${path}`;
  });
}

const line = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    'diff --git a/x b/x',
    '\\ No newline at end of file',
    '-',
    '+',
    ' ',
    'x\r',
    '\t',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\n', '')),
);
const textFile = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 8, arbitrary: textFile },
  textFile.map((script) => ({ script })),
  fc.constantFrom<Content>(
    { link: 'target' },
    { link: '../up' },
    new Uint8Array([0, 1, 2, 255]),
    new Uint8Array([0, 9]),
  ),
);
const name = fc.constantFrom(
  'a.txt',
  'b c.txt',
  'd/e.txt',
  'd/ü文.txt',
  'q"uote.txt',
  'tab\there',
  'back\\slash',
  'new\nline',
  'b b/b',
  ' x',
);
const someFiles = fc.dictionary(name, content, { maxKeys: 6 });

describe('bot-review', () => {
  it('R2 reads git’s diffs as git apply does', async () => {
    await fc.assert(
      fc.asyncProperty(someFiles, someFiles, async (before, after) => {
        const diff = await diffOf(before, after);

        expect(ourNumstat(parseGitDiff(diff))).toEqual(numstat(diff));
      }),
      { numRuns: 60 },
    );
  });

  it('R2 rebuilds both files from the hunks of a whole-file diff', async () => {
    await fc.assert(
      fc.asyncProperty(textFile, textFile, async (before, after) => {
        fc.pre(before !== after && !before.includes('\0') && !after.includes('\0'));
        const trees = [treeOf({ f: before }), treeOf({ f: after })] as const;
        const diff = await diffCommits({ gitDir: join(folder, '.git') }, ...trees, ['--unified=1000', '--text']);

        const [file] = parseGitDiff(diff);
        expect(sideOf(file!, 'oldLine')).toBe(before);
        expect(sideOf(file!, 'newLine')).toBe(after);
      }),
      { numRuns: 60 },
    );
  });

  it('R2 understands renames, modes, binary, deleted, submodule, link and empty files', async () => {
    const sha = 'a'.repeat(40);
    const fixture = new GitFixture();
    const long = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
    const before = {
      'old name': long,
      mode: 'm\n',
      'x.bin': new Uint8Array([0, 1]),
      gone: 'g\n',
      both: 'b\n',
      was: 'file\n',
    };
    const from = fixture.commit(before);
    fixture.commit({ 'old name': undefined, 'new name': `${long}eight\n`, mode: { script: 'm\n' } });
    fixture.commit({
      'x.bin': new Uint8Array([0, 2]),
      gone: undefined,
      both: { script: 'B\n' },
      empty: '',
      was: { link: 'x' },
    });
    fixture.git('update-index', '--add', '--cacheinfo', `160000,${sha},lib`);
    fixture.git('commit', '--quiet', '-m', 'submodule');

    const files = parseGitDiff(await diffCommits({ gitDir: join(fixture.origin, '.git') }, from, 'HEAD'));
    fixture.close();

    const brief = files.map(({ path, status, content, previousPath, oldMode, newMode, additions, deletions }) =>
      [
        path,
        status,
        content,
        previousPath ?? '',
        `${oldMode ?? ''}>${newMode ?? ''}`,
        `+${additions} -${deletions}`,
      ].join(' | '),
    );
    expect(brief).toEqual([
      'both | modified | text |  | 100644>100755 | +1 -1',
      'empty | added | text |  | >100644 | +0 -0',
      'gone | removed | text |  | 100644> | +0 -1',
      'lib | added | submodule |  | >160000 | +1 -0',
      'mode | modified | text |  | 100644>100755 | +0 -0',
      'new name | renamed | text | old name | 100644>100644 | +1 -0',
      'was | removed | text |  | 100644> | +0 -1',
      'was | added | symlink |  | >120000 | +1 -0',
      'x.bin | modified | binary |  | 100644>100644 | +0 -0',
    ]);
  });

  it('R2 marks the line a file ends with when it has no line end', () => {
    const patch = '@@ -1,2 +1,2 @@\n same\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file';

    const { hunks } = parseHunks(patch.split('\n'));

    expect(hunks[0]!.lines).toEqual([
      { kind: 'context', text: 'same', oldLine: 1, newLine: 1 },
      { kind: 'delete', text: 'old', oldLine: 2, noNewline: true },
      { kind: 'add', text: 'new', newLine: 2, noNewline: true },
    ]);
  });

  it('R2 says which lines take comments on which side', () => {
    const patch = '@@ -10,3 +10,4 @@ function f() {\n ten\n-eleven\n+ELEVEN\n+more\n twelve\n@@ -90 +91,0 @@\n-ninety';

    const { hunks } = parseHunks(patch.split('\n'));
    const { LEFT, RIGHT } = commentableLines({ hunks });

    expect([...LEFT]).toEqual([10, 11, 12, 90]);
    expect([...RIGHT]).toEqual([10, 11, 12, 13]);
    expect(hunks.map(({ section }) => section)).toEqual(['function f() {', '']);
  });

  test.each([
    ['plain', 'plain'],
    ['"a/\\303\\274.txt"', 'a/ü.txt'],
    ['"tab\\there \\"q\\" back\\\\slash\\nline"', 'tab\there "q" back\\slash\nline'],
  ])('R2 unquotes %s', (quoted, path) => {
    expect(unquotePath(quoted)).toBe(path);
  });
});

describe('cases', () => {
  it('D11 tells an LFS pointer from content', async () => {
    const pointer = (digit: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 12\n`;
    const document = 'version https://git-lfs.github.com/spec/v1\nis the first line of a pointer\n';

    const files = parseGitDiff(await diffOf({ 'x.bin': pointer('a') }, { 'x.bin': pointer('b'), 'doc.md': document }));

    expect(files.map((file) => [file.path, file.content])).toEqual([
      ['doc.md', 'text'],
      ['x.bin', 'lfs-pointer'],
    ]);
  });

  it('D14 keeps a carriage return as part of its line', async () => {
    const [file] = parseGitDiff(await diffOf({ a: 'one\r\ntwo\r\n' }, { a: 'one\r\nTWO\r\n' }));

    expect(file!.hunks[0]!.lines.map(({ text }) => text)).toEqual(['one\r', 'two\r', 'TWO\r']);
  });
});

function sideOf({ hunks }: DiffFile, side: 'oldLine' | 'newLine'): string {
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((one) => one[side] !== undefined);
  return lines.map(({ text, noNewline }) => (noNewline ? text : `${text}\n`)).join('');
}
