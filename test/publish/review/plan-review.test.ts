import { describe, expect, it } from '@jest/globals';
import { parseGitDiff } from '../../../src/github/diff/parse-git-diff.ts';
import type { Finding } from '../../../src/publish/review/finding.ts';
import { strictLength } from '../../../src/publish/markdown/body.ts';
import { parseLedger } from '../../../src/publish/review/ledger.ts';
import type { LedgerEntry } from '../../../src/publish/review/ledger.ts';
import { codeReader, keyFindings } from '../../../src/publish/review/key-findings.ts';
import { placeFinding } from '../../../src/publish/review/place-finding.ts';
import { planReview } from '../../../src/publish/review/plan-review.ts';
import type { ReviewFacts } from '../../../src/publish/review/plan-review.ts';
import { provenSuggestion } from '../../../src/publish/review/prove-suggestion.ts';

const diff = `diff --git a/src/a.js b/src/a.js
index 1111111..2222222 100644
--- a/src/a.js
+++ b/src/a.js
@@ -1,4 +1,5 @@
 one
-two
+TWO
+three
 four
 five
@@ -40,3 +41,3 @@
 forty
-x
+y
 z
`;
const files = parseGitDiff(diff);
const head = [
  'one',
  'TWO',
  'three',
  'four',
  'five',
  ...Array.from({ length: 35 }, (_, i) => `l${i}`),
  'forty',
  '  y',
  'z',
  '',
].join('\n');
const finding = (more: Partial<Finding>): Finding => ({
  path: 'src/a.js',
  side: 'RIGHT',
  startLine: 2,
  endLine: 2,
  severity: 'major',
  confidence: 0.9,
  title: 'It breaks',
  body: 'When x, y.',
  scenario: 'x = 1 gives y = 2.',
  evidence: 'traced',
  proof: 'src/a.js:2',
  ...more,
});
const HEAD = 'abc'.padEnd(40, '0');
const headFile = (path: string) => (path === 'src/a.js' ? head : undefined);
const plan = (findings: Finding[], more: Partial<ReviewFacts> = {}) =>
  planReview(keyFindings(findings, codeReader(files, headFile)), {
    session: 's',
    cause: 'comment-1',
    headSha: HEAD,
    files,
    headFile,
    verdict: 'Looks risky.',
    limits: [],
    attention: [],
    minConfidence: 0.5,
    maxComments: 15,
    blocking: false,
    approve: false,
    earlier: [],
    fixedNow: new Set(),
    reviewedHead: undefined,
    dismissed: false,
    isPart: false,
    changedMeanwhile: new Set(),
    refused: new Set(),
    ...more,
  });

describe('bot-review', () => {
  it.each([
    ['a line of the head', {}, { side: 'RIGHT', startLine: 2, endLine: 2 }],
    ['a removed line', { side: 'LEFT' }, { side: 'LEFT', startLine: 2, endLine: 2 }],
    ['a range', { startLine: 2, endLine: 3 }, { side: 'RIGHT', startLine: 2, endLine: 3 }],
    [
      'a range over two hunks, which keeps its end',
      { startLine: 3, endLine: 42 },
      { side: 'RIGHT', startLine: 41, endLine: 42 },
    ],
    [
      'a line only the other side has',
      { side: 'LEFT', startLine: 5, endLine: 5 },
      { side: 'RIGHT', startLine: 5, endLine: 5 },
    ],
  ] as const)('R3 E1 places %s', (_, more, place) => {
    expect(placeFinding(finding(more), files)).toMatchObject({ place, moved: false });
  });

  it('R3 moves a line that takes no comment to the nearest of its hunk, and names the real one', () => {
    const placed = placeFinding(finding({ startLine: 43, endLine: 60 }), files);

    expect(placed).toMatchObject({ place: { startLine: 43, endLine: 43 }, moved: true });
    expect(plan([placed.finding]).comments[0]?.body).toContain('About src/a.js:43-60');
  });

  it.each([
    ['outside every hunk', { startLine: 20, endLine: 20 }],
    ['in a file that is not in the diff', { path: 'b.js' }],
  ])('R3 E1 tells a finding %s in the body', (_, more) => {
    const review = plan([finding(more)]);

    expect(review.comments).toEqual([]);
    expect(review.body).toContain('When x, y.');
  });

  it('R3 P7 makes a finding told in the body inert once', () => {
    const { body } = plan([finding({ startLine: 20, endLine: 20, title: 'of @tom', body: 'Ask @tom & co, see a_b.' })]);

    expect(body).toContain('**major: of @&#8203;tom** (src/a.js:20)\n\nAsk @&#8203;tom & co, see a_b.');
    expect(body).not.toContain('&amp;');
  });

  it('R3 E1 five findings of which four cannot stand as given: one review tells all', () => {
    const review = plan([
      finding({ title: 'fits' }),
      finding({ title: 'outside', startLine: 20, endLine: 20 }),
      finding({ title: 'other file', path: 'nowhere.js' }),
      finding({ title: 'over hunks', startLine: 2, endLine: 41 }),
      finding({ title: 'wrong side', side: 'LEFT', startLine: 5, endLine: 5 }),
    ]);

    const told = review.body + review.comments.map((comment) => comment.body).join();
    expect(review.comments).toHaveLength(3);
    for (const title of ['fits', 'outside', 'other file', 'over hunks', 'wrong side']) expect(told).toContain(title);
  });

  it('R3 E2 sends no start_line for a single line', () => {
    expect(plan([finding({})]).comments[0]).not.toHaveProperty('start_line');
    expect(plan([finding({ startLine: 2, endLine: 3 })]).comments[0]).toMatchObject({
      start_line: 2,
      line: 3,
      start_side: 'RIGHT',
    });
  });

  it.each([
    ['applies and changes something', 'TWO', '2', '2'],
    ['misses the indent of its first line', '  y', 'w', '  w'],
  ])('R4 E6 keeps a suggestion that %s', (_, code, suggestion, expected) => {
    const line = code === 'TWO' ? 2 : 42;
    const placed = placeFinding(finding({ startLine: line, endLine: line, code, suggestion }), files);

    expect(provenSuggestion(placed, { headFile: () => head })).toBe(expected);
  });

  it.each([
    ['changes nothing', 'TWO', 'TWO'],
    ['was written for other lines', 'other', 'x'],
    ['begins with the line above', 'TWO', 'one\nTWO!'],
    ['ends with the line below', 'TWO', 'TWO!\nthree'],
  ])('R4 E5 drops a suggestion that %s', (_, code, suggestion) => {
    const placed = placeFinding(finding({ code, suggestion }), files);

    expect(provenSuggestion(placed, { headFile: () => head })).toBeUndefined();
  });

  it('R4 E5 fences a suggestion that holds backticks with more of them', () => {
    const [comment] = plan([finding({ code: 'TWO', suggestion: '```' })]).comments;

    expect(comment?.body).toContain('````suggestion\n```\n````');
  });

  it('R5 comments by default, and asks for changes on a blocker only where configured', () => {
    const blocker = finding({ severity: 'blocker' });

    expect(plan([blocker]).event).toBe('COMMENT');
    expect(plan([blocker], { blocking: true }).event).toBe('REQUEST_CHANGES');
    expect(plan([finding({})], { blocking: true }).event).toBe('COMMENT');
  });

  it('R5 the body holds verdict, table and marker', () => {
    const { body, commitId } = plan([finding({})]);

    expect(body).toContain('Looks risky.');
    expect(body).toContain('| major | src/a.js:2 | It breaks |');
    expect(body).toContain(`<!-- dsh:review s ${HEAD} -->`);
    expect(commitId).toBe(HEAD);
  });

  it('R7 keeps the most severe inline and tells the rest in the body; doubtful ones are dropped', () => {
    const many = Array.from({ length: 65 }, (_, i) =>
      finding({ title: `finding ${i}`, severity: i < 3 ? 'blocker' : 'minor' }),
    );

    const review = plan([...many, finding({ title: 'a doubt', confidence: 0.3 })]);

    expect(review.comments).toHaveLength(15);
    expect(review.comments[0]?.body).toContain('blocker');
    expect(review.findings).toHaveLength(65);
    expect(review.body).toContain('finding 64');
    expect(review.body).not.toContain('a doubt');
  });

  it('R5 R7 a model that reports a thousand findings has a review all the same, at once', () => {
    const many = Array.from({ length: 1_000 }, (_, nth) => finding({ title: `T${nth}`, body: 'x '.repeat(3_900) }));
    const begun = performance.now();

    const { body } = plan(many);

    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain('885 more findings are not told here.');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('R5 F1 whatever titles, paths and lists hold, the body fits, and its marks are whole', () => {
    const awkward = ['*', '_', '@tom ', '<b>', '😀', '#12 '];
    const many = Array.from({ length: 120 }, (_, at) =>
      finding({
        title: `${at} ${awkward[at % 6]!.repeat(100)}`.slice(0, 118).trim(),
        path: `src/${awkward[(at + 1) % 6]!.repeat(80)}/${at}.js`,
        body: `${awkward[(at + 2) % 6]!.repeat(1_000)}`,
      }),
    );
    const earlier = Array.from({ length: 100 }, (_, at) => ({
      ...{
        id: `e${at}`,
        fingerprint: `f${at}`,
        span: 1,
        path: '_'.repeat(400),
        side: 'RIGHT',
        line: 1,
        severity: 'major',
      },
      ...{ title: '*'.repeat(120), state: at % 2 ? 'open' : 'fixed', inline: true, since: HEAD, fixedBy: HEAD },
    })) as LedgerEntry[];
    const limits = Array.from({ length: 90 }, () => `${'_'.repeat(5_000)} was left out`);
    const fixedNow = new Set(earlier.filter(({ state }) => state === 'fixed').map(({ id }) => id));

    const { body } = plan(many, {
      earlier,
      fixedNow,
      limits,
      attention: ['READER 1 read it'],
      verdict: '*@tom* '.repeat(3_000),
    });

    expect(strictLength(body)).toBeLessThanOrEqual(65_536);
    expect(body).toContain(`<!-- dsh:review s ${HEAD} -->`);
    expect(parseLedger(body)!.length).toBeGreaterThan(10);
    expect(body).toContain('READER 1 read it');
    expect(body).toMatch(/\| and \d+ more \|/);
  });
});
