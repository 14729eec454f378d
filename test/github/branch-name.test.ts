import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it, test } from '@jest/globals';
import { branchName, branchNameCandidates, isValidBranchName, slugOf } from '../../src/github/branch-name.ts';
import { GIT_ENV } from './support/git-fixture.ts';

const issue = { kind: 'issue' as const, number: 12 };

function gitAccepts(name: string): boolean {
  return spawnSync('git', ['check-ref-format', '--branch', name], { env: GIT_ENV, cwd: '/' }).status === 0;
}

describe('bot-fix', () => {
  test.each([
    ['Fix the parser', 'dsh/issue-12-fix-the-parser'],
    ['Größe: “naïve” Prüfung!', 'dsh/issue-12-gro-e-naive-prufung'],
    ['修复解析器', 'dsh/issue-12'],
    ['', 'dsh/issue-12'],
    ['../../etc; rm -rf ~ $(x) .lock', 'dsh/issue-12-etc-rm-rf-x-lock'],
    ['a'.repeat(60), `dsh/issue-12-${'a'.repeat(40)}`],
    ['one two three four five six seven eight nine ten', 'dsh/issue-12-one-two-three-four-five-six-seven-eight'],
  ])('U2 names a branch after %j', (title, name) => {
    expect(branchName(issue, title)).toBe(name);
  });

  it('U2 names branches for work on a pull request, and for work without a subject', () => {
    expect(branchName({ kind: 'pull', number: 3 }, 'Merge it')).toBe('dsh/pull-3-merge-it');
    expect(branchName({ kind: 'run', id: '1184' }, 'nightly tidy')).toBe('dsh/run-1184-nightly-tidy');
    expect(branchName(issue, 'x', 'bot-')).toBe('bot-issue-12-x');
  });

  it('U2 makes a name git accepts of any title, with a slug of at most 40 ASCII characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (title) => {
        expect(slugOf(title)).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);
        expect(slugOf(title).length).toBeLessThanOrEqual(40);
        expect(isValidBranchName(branchName(issue, title))).toBe(true);
      }),
    );
  });

  it('U2 judges names exactly as git check-ref-format does', () => {
    const odd = [
      ...['a', 'a/b', '-a', 'a.lock', 'a.lock/b', 'a..b', '.a', 'a/.b', 'a.', 'a/', '/a', 'a//b', 'a@{b', '@', 'HEAD'],
      ...[
        'a b',
        'a~',
        'a^',
        'a:',
        'a?',
        'a*',
        'a[',
        'a\\',
        'a\tb',
        'a\u007f',
        'ü',
        'a.b',
        'a@',
        '@a',
        'x/@',
        'a{',
        ']',
      ],
      ...['refs/heads/x', 'HEAD/x', 'a-', 'a.LOCK', 'a/b.lock'],
    ];
    const judged = odd.map((name) => [name, isValidBranchName(name)]);

    expect(judged).toEqual(odd.map((name) => [name, gitAccepts(name)]));
    expect(isValidBranchName('')).toBe(false);
  });

  it('U2 judges random names exactly as git does', () => {
    const part = fc.constantFrom('a', '.', '/', '@', '{', '-', '.lock', '~', ' ', 'ü', '\\', '[');
    const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(name, (candidate) => {
        expect([candidate, isValidBranchName(candidate)]).toEqual([candidate, gitAccepts(candidate)]);
      }),
      { numRuns: 80 },
    );
  });

  it('U2 refuses a configured prefix that makes no branch name, and says which', () => {
    expect(() => branchName(issue, 'x', 'my branch/')).toThrow(
      expect.objectContaining({ code: 'BRANCH_NAME_INVALID', hint: expect.stringContaining('branch.prefix') }),
    );
  });

  it('U2 goes on with numeric suffixes', () => {
    const names = branchNameCandidates('dsh/issue-1');

    expect([names.next().value, names.next().value, names.next().value]).toEqual([
      'dsh/issue-1',
      'dsh/issue-1-2',
      'dsh/issue-1-3',
    ]);
  });
});
