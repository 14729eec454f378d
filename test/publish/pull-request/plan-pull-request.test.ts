import { describe, expect, it } from '@jest/globals';
import { planPullRequest, verifyText } from '../../../src/publish/pull-request/plan-pull-request.ts';
import type { FixOutcome, PullRequestFacts } from '../../../src/publish/pull-request/plan-pull-request.ts';
import { titleByHabit } from '../../../src/publish/pull-request/title-habit.ts';
import { parseCommands } from '../../../src/triggers/parse-commands.ts';

const OUTCOME: FixOutcome = {
  claimsFixed: true,
  draft: false,
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: '',
  notes: [],
  verify: [],
};
const FACTS: PullRequestFacts = {
  subject: { kind: 'issue', number: 7 },
  session: 'gh-1-7-1',
  asker: { id: 5, login: 'maria' },
  recentSubjects: [],
  changedTests: [],
};
const visible = (body: string) =>
  body
    .replaceAll(/<!-- dsh:.*? -->\n*/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
const plan = (outcome: Partial<FixOutcome> = {}, facts: Partial<PullRequestFacts> = {}) =>
  planPullRequest({ ...OUTCOME, ...outcome }, { ...FACTS, ...facts });

describe('bot-fix', () => {
  it('U4 says what and why, what it fixes, which session it is, and who asked', () => {
    const { title, body, commitMessage, draft } = plan({
      cause: 'src/a.js:7 forgot it.',
      notes: ['One risk.', 'One choice.'],
    });

    expect(title).toBe('Mend the price');
    expect(visible(body)).toBe(
      'The price is 2.\n\n**Cause.** src/a.js:7 forgot it.\n\n**Not verified:** no test command was found in this repository.\n\n- One risk.\n- One choice.\n\nFixes #7',
    );
    expect(body).toContain('<!-- dsh:session gh-1-7-1 -->');
    expect(commitMessage).toBe(
      'Mend the price\n\nFixes #7\n\nCo-authored-by: maria <5+maria@users.noreply.github.com>',
    );
    expect(draft).toBe(false);
  });

  it.each([
    ['an unclaimed fix', { claimsFixed: false }, {}],
    ['work on a pull request', {}, { subject: { kind: 'pull', number: 7 } as const }],
  ])('U4 %s closes nothing', (_, outcome, facts) => {
    const { body, commitMessage } = plan(outcome, facts);

    expect(`${body}${commitMessage}`).not.toMatch(/\b(fix|close|resolve)[a-z]* #/i);
    expect(body).toContain('For #7.');
  });

  it('U4 only our own line closes an issue: none that the model wrote', () => {
    const { title, body, commitMessage } = plan({
      claimsFixed: false,
      title: 'Fixes #99, https://github.com/o/r/issues/94',
      summary: 'Closes #98, resolves o/r#97 and https://github.com/o/r/issues/93',
      cause: 'fixes GH-96',
      notes: ['Fixes: #95'],
    });

    expect(`${title}\n${body}\n${commitMessage}`.replaceAll('For #7', '')).not.toMatch(
      /(?<!&)#\d|GH-\d|(?<!`https:\/\/github\.com\/o\/r)\/issues\/\d/,
    );
  });

  it('P7 no line of title, body or commit message commands or mentions', () => {
    const said = '/dsh fix\n@octocat';
    const { title, body, commitMessage } = plan({
      title: '/dsh fix @octocat',
      summary: said,
      cause: said,
      notes: [said],
    });

    expect(parseCommands(`${title}\n\n${body}`, { aliases: ['/dsh'] })).toEqual([]);
    expect(`${title}${body}${commitMessage}`).not.toMatch(/@octocat/);
  });

  it('U4 a title is one line that GitHub takes', () => {
    expect(plan({ title: 'a\nb' }).title).toBe('a b');
    expect(plan({ title: ' ' }).title).toBe('Change requested in the issue');
    const long = plan({ title: `${'x'.repeat(248)}😀😀` }).title;
    expect(long.length).toBeLessThanOrEqual(250);
    expect(long.isWellFormed()).toBe(true);
  });

  it.each([
    ['plain commits', ['Add a', 'Mend b'], 'Mend it', 'Mend it'],
    ['conventional commits', ['fix: a', 'feat(x): b', 'chore!: c'], 'Mend it', 'fix: mend it'],
    ['mostly conventional', ['fix: a', 'feat: b', 'Merge c'], 'Mend it', 'fix: mend it'],
    ['half conventional', ['fix: a', 'b'], 'Mend it', 'Mend it'],
    ['a title that has the form already', ['fix: a'], 'feat(api): add it', 'feat(api): add it'],
    ['no commits', [], 'Mend it', 'Mend it'],
  ])('U4 the title follows the habit of %s', (_, subjects, title, expected) => {
    expect(titleByHabit(title, subjects)).toBe(expected);
  });

  it.each([
    [{ exitCode: 0, timedOut: false }, 'passed'],
    [
      { exitCode: 1, timedOut: false, failsOnBase: true, sameOnBase: true },
      'failed (exit code 1); it fails the same way without this change',
    ],
    [{ exitCode: 1, timedOut: false, failsOnBase: true }, 'failed (exit code 1); it also fails without this change'],
    [{ exitCode: 1, timedOut: false, failsOnBase: false }, 'failed (exit code 1); it passes without this change'],
    [{ exitCode: 1, timedOut: false }, 'failed (exit code 1)'],
    [{ exitCode: null, timedOut: false }, 'failed (exit code none)'],
    [{ exitCode: 0, timedOut: true, failsOnBase: false }, 'did not end in time; it passes without this change'],
    [
      { exitCode: 127, timedOut: false, failsOnBase: true, sameOnBase: true },
      'could not be run here (command not found); it fails the same way without this change',
    ],
  ])('F2 a run of %j is told as it was', (run, text) => {
    expect(verifyText([{ command: 'npm test', ...run }])).toBe(`**Verification**\n\n- \`npm test\`: ${text}`);
  });

  it('F2 a command of several lines stays in its line', () => {
    expect(verifyText([{ command: 'a `b`\n\n/dsh fix', exitCode: 0, timedOut: false }])).toBe(
      "**Verification**\n\n- `a 'b' /dsh fix`: passed",
    );
  });

  it('F2 tests that existed and were changed are named, a long list is counted', () => {
    const changedTests = Array.from({ length: 3_000 }, (_, i) => `test/${i}_a.js`);

    const { body } = plan({}, { changedTests });

    expect(body).toContain('Tests that existed were changed: test/0\\_a.js, ');
    expect(body).toContain(' and 2980 more.');
  });
});
