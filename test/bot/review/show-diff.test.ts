import { describe, expect, it } from '@jest/globals';
import { showDiff } from '../../../src/bot/review/show-diff.ts';
import { splitIgnored } from '../../../src/bot/review/split-ignored.ts';
import { parseGitDiff } from '../../../src/github/diff/parse-git-diff.ts';

const hunk = (start: number, text: string) =>
  `@@ -${start},2 +${start},2 @@ function f\n same\n-old ${text}\n+new ${text}\n`;
const fileDiff = (path: string, ...hunks: string[]) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;

describe('prompts', () => {
  it('PR45 gives each line its side and number', () => {
    const { text, cut } = showDiff(parseGitDiff(fileDiff('a.js', hunk(41, 'x'))), 1_000);

    expect(text).toBe('=== a.js modified\n@@ function f\nL41 R41   same\nL42 - old x\nR42 + new x');
    expect(cut).toEqual([]);
  });

  it('PR17 PR45 leaves out whole hunks, and says where', () => {
    const long = 'y'.repeat(300);
    const files = parseGitDiff(fileDiff('a.js', hunk(1, 'small'), hunk(50, long)) + fileDiff('b.js', hunk(1, 'tiny')));

    const { text, cut } = showDiff(files, 300);

    expect(text).toContain('new small');
    expect(text).not.toContain('yyy');
    expect(text).toContain('[1 of 2 hunks are not shown: read the file]');
    expect(text).toContain('new tiny');
    expect(cut).toEqual(['a.js']);
  });
});

describe('bot-review', () => {
  it('R1 parts off the files that configuration leaves out', () => {
    const files = parseGitDiff(
      ['src/a.js', 'package-lock.json', 'vendor/x/y.js'].map((path) => fileDiff(path, hunk(1, 'x'))).join(''),
    );

    const { reviewed, ignored } = splitIgnored(files, ['package-lock.json', 'vendor/**']);

    expect(reviewed.map(({ path }) => path)).toEqual(['src/a.js']);
    expect(ignored.map(({ path }) => path)).toEqual(['package-lock.json', 'vendor/x/y.js']);
  });
});
