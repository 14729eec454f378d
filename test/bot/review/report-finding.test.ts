import { describe, expect, it } from '@jest/globals';
import { reportFindingTool } from '../../../src/bot/review/report-finding.ts';
import type { Finding } from '../../../src/publish/review/finding.ts';
import { finding } from '../support/review-stage.ts';

const head = new Set(['src/price.js', 'CONTRIBUTING.md', 'src/a b.js', 'app/[id]/(shop)/page.tsx', '価格/ファイル.ts']);
const call = async (args: object) => {
  const taken: Finding[] = [];
  const tool = reportFindingTool(head, (one) => taken.push(one));
  await tool.execute(args as never, {} as never);
  return taken;
};

describe('prompts', () => {
  it.each([
    ['an empty scenario', { scenario: ' ' }, /scenario: name the input, state or order of events/],
    ['an empty proof', { proof: '' }, /proof: give the command and what it showed/],
    ['no kind of evidence', { evidence: 'felt' }, /evidence/],
    [
      'a scenario of possibilities',
      { scenario: 'Callers could possibly pass something wrong.' },
      /scenario: this names a possibility/,
    ],
    ['a trace that cites no line', { proof: 'It is summed as it is.' }, /proof: a trace cites each hop as path:line/],
    [
      'a trace through a file of which the head holds only one that ends alike',
      { proof: 'my-src/price.js:3 calls it' },
      /proof: the head holds no my-src\/price\.js/,
    ],
    [
      'a trace through a file the head does not hold',
      { proof: 'src/gone.js:3 calls it' },
      /proof: the head holds no src\/gone\.js/,
    ],
    [
      'a rule that stands nowhere',
      { evidence: 'rule', proof: 'Names are short, says STYLE.md' },
      /proof: the head holds no STYLE\.md/,
    ],
    ['a proof that is a book', { proof: `src/price.js:1 ${'a'.repeat(5_000)}` }, /proof: at most a few lines/],
    ['a nit that breaks no rule', { severity: 'nit' }, /severity: a nit breaks a written rule/],
  ])('PR41 refuses %s, and says what is missing', async (_, more, text) => {
    await expect(call(finding(more))).rejects.toThrow(text);
    await expect(call(finding(more))).rejects.toMatchObject({
      code: expect.stringMatching(/^INVALID_(FINDING|ARGS)$/),
    });
  });

  it.each([
    ['a possibility with its value', { scenario: 'price could be -1 from the API' }],
    ['a trace over files of the head', { proof: 'src/price.js:1 → src/price.js:3' }],
    [
      'a trace over paths of any kind',
      { proof: '見価格/ファイル.ts:1，then (app/[id]/(shop)/page.tsx:3) and `src/a b.js:2`.' },
    ],
    ['a command that was run, whatever it names', { evidence: 'ran', proof: '`node x.js` printed -1' }],
    [
      'a nit that quotes its rule',
      { severity: 'nit', evidence: 'rule', proof: '"Names are short" in CONTRIBUTING.md.' },
    ],
  ])('PR40 PR41 takes %s', async (_, more) => {
    expect(await call(finding(more))).toHaveLength(1);
  });

  it.each([
    ['a/src/price.js', 'src/price.js'],
    ['./src/price.js', 'src/price.js'],
    ['/workspace/src/price.js', 'src/price.js'],
    ['a/unknown.js', 'a/unknown.js'],
  ])('R3 knows the path %s as %s', async (path, known) => {
    expect(await call(finding({ path }))).toMatchObject([{ path: known }]);
  });

  it('R3 takes half characters and control signs, which GitHub refuses, out of what it says', async () => {
    const [taken] = await call(finding({ title: 'Half \ud83d of\u0000 it', path: 'x\ud83d.js' }));

    expect(taken).toMatchObject({ title: 'Half \ufffd of it', path: 'x\ufffd.js' });
  });

  it('R3 swaps lines that are the wrong way round', async () => {
    expect(await call(finding({ startLine: 9, endLine: 4 }))).toMatchObject([{ startLine: 4, endLine: 9 }]);
  });
});
