import { describe, expect, it } from '@jest/globals';
import { parseGitDiff } from '../../../src/github/diff/parse-git-diff.ts';
import { planSuggestions } from '../../../src/publish/pull-request/plan-suggestions.ts';

const header = (path: string) =>
  `diff --git a/${path} b/${path}\nindex ${'1'.repeat(40)}..${'2'.repeat(40)} 100644\n--- a/${path}\n+++ b/${path}\n`;
const diff = (path: string, hunks: string) => parseGitDiff(`${header(path)}${hunks}`);

/** What the pull request shows: lines 1 to 5 of a.txt, and 20 to 21. */
const SHOWN = diff(
  'a.txt',
  '@@ -1,4 +1,5 @@\n one\n-2\n+two\n+three\n four\n five\n@@ -19,1 +20,2 @@\n twenty\n+more\n',
);

describe('bot-fix', () => {
  it.each([
    ['one line', '@@ -2 +2 @@\n-two\n+TWO\n', { line: 2, body: '```suggestion\nTWO\n```' }],
    [
      'several lines',
      '@@ -2,2 +2 @@\n-two\n-three\n+both\n',
      { start_line: 2, line: 3, body: '```suggestion\nboth\n```' },
    ],
    ['a deletion', '@@ -3 +2,0 @@\n-three\n', { line: 3, body: '```suggestion\n```' }],
    ['an insertion', '@@ -4,0 +5 @@\n+4.5\n', { line: 4, body: '```suggestion\nfour\n4.5\n```' }],
    ['an insertion at the top', '@@ -0,0 +1 @@\n+zero\n', { line: 1, body: '```suggestion\nzero\none\n```' }],
    ['backticks', '@@ -2 +2 @@\n-two\n+```\n', { line: 2, body: '````suggestion\n```\n````' }],
  ])('U5 suggests %s that the diff shows', (_, hunks, expected) => {
    expect(planSuggestions(diff('a.txt', hunks), SHOWN)).toEqual([{ path: 'a.txt', side: 'RIGHT', ...expected }]);
  });

  it.each([
    ['a line outside the diff', diff('a.txt', '@@ -10 +10 @@\n-ten\n+TEN\n')],
    ['lines of two hunks', diff('a.txt', '@@ -5,17 +5 @@\n-five\n+x\n')],
    ['a file that the pull request leaves alone', diff('b.txt', '@@ -1 +1 @@\n-one\n+ONE\n')],
    ['one that fits beside one that does not', diff('a.txt', '@@ -2 +2 @@\n-two\n+TWO\n@@ -10 +10 @@\n-ten\n+TEN\n')],
    ['carriage returns', diff('a.txt', '@@ -2 +2 @@\n-two\r\n+TWO\r\n')],
  ])('U5 suggests nothing for %s', (_, change) => {
    expect(planSuggestions(change, SHOWN)).toBeUndefined();
  });
});
