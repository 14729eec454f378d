import { describe, expect, it } from '@jest/globals';
import { inspectChange } from '../../../src/bot/gate/inspect-change.ts';
import { parseGitDiff } from '../../../src/github/diff/parse-git-diff.ts';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { calls } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};

describe('prompts', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n' });

  const run = async (call: Pick<JobCall, 'script'> & Partial<JobCall>) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong' });
    return bench.run({
      job: 'fix',
      subject: { kind: 'issue', number },
      config: { selfReview: { rounds: 3 } },
      ...call,
    });
  };
  const submits = (before?: () => unknown, result: object = RESULT) => ({
    ...calls('submit_result', result),
    ...(before && { before }),
  });
  const price = (n: number) => () => bench.change('src/price.js', `export const price = ${n};\n`);
  /** What the tool answered last. */
  const answer = ({ messages }: GenerateOptions) =>
    messages
      .at(-1)!
      .content.map((block) => (block.type === 'tool-result' ? JSON.stringify(block.content) : ''))
      .join('');

  it('PR53 the first submission of a change shows it, the next one of the same tree is accepted', async () => {
    const { model, outcome } = await run({ script: [submits(price(2)), submits()] });

    expect(answer(model.requests[1]!)).toMatch(
      /Not accepted yet\..*-export const price = 1;.*\+export const price = 2;/,
    );
    expect(outcome).toMatchObject({ produced: { kind: 'pull-request' } });
  });

  it('PR53 a changed tree is shown again, three times a turn at most', async () => {
    const script = [submits(price(2)), submits(price(3)), submits(price(4)), submits(price(5))];

    const { model, outcome } = await run({ script });

    expect(model.requests).toHaveLength(4);
    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;
    expect(await bench.patchOf(produced.number)).toContain('+export const price = 5;');
  });

  it('PR53 what stands out is named', async () => {
    const scratch = () => (price(2)(), bench.change('repro.js', 'x\n'));

    const { model } = await run({ script: [submits(scratch), submits()] });

    expect(answer(model.requests[1]!)).toContain('scratch or backup files: repro.js');
  });

  it('PR36 `fixed` with an unchanged tree is an error, `nothing_to_do` is not', async () => {
    const { model, outcome } = await run({
      script: [submits(), submits(undefined, { ...RESULT, outcome: 'nothing_to_do' })],
    });

    expect(answer(model.requests[1]!)).toContain(
      'Error: the work tree holds no change — change something, or submit `nothing_to_do` or `not_fixed`',
    );
    expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'nothing' } });
  });

  describe('what stands out', () => {
    const added = (path: string, text: string, existed = true) =>
      parseGitDiff(
        [
          `diff --git a/${path} b/${path}`,
          ...(existed ? [] : ['new file mode 100644']),
          `index 1111111..2222222${existed ? ' 100644' : ''}`,
          `--- ${existed ? `a/${path}` : '/dev/null'}`,
          `+++ b/${path}`,
          existed ? `@@ -1 +1,${text.split('\n').length + 1} @@` : '@@ -0,0 +1 @@',
          ...(existed ? [' kept'] : []),
          ...text.split('\n').map((line) => `+${line}`),
          '',
        ].join('\n'),
      );
    const inspect = (files: ReturnType<typeof parseGitDiff>, request = '') =>
      inspectChange({ files, changedTests: [], request });

    it.each([
      ['a backup', added('src/a.js.orig', 'x', false), 'scratch or backup files: src/a.js.orig'],
      [
        'a cache',
        added('__pycache__/a.cpython-311.pyc', 'x', false),
        'scratch or backup files: __pycache__/a.cpython-311.pyc',
      ],
      ['a log', added('debug.log', 'x', false), 'scratch or backup files: debug.log'],
      ['a marker', added('a.js', '<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z'), 'conflict markers: a.js'],
      ['a skipped test', added('test/a.test.js', "it.skip('x')"), 'tests are skipped or narrowed: test/a.test.js'],
      [
        'a skipped pytest',
        added('tests/test_a.py', '@pytest.mark.skip'),
        'tests are skipped or narrowed: tests/test_a.py',
      ],
      ['debug output', added('src/a.js', 'console.log(x)'), 'debug output: src/a.js'],
      ['a lockfile', added('package-lock.json', 'x'), 'files that the request does not name: package-lock.json'],
      [
        'a workflow',
        added('.github/workflows/ci.yml', 'x'),
        'files that the request does not name: .github/workflows/ci.yml',
      ],
    ])('PR53 PR33 names %s', (_, files, note) => {
      expect(inspect(files)).toEqual([note]);
    });

    it('PR53 says nothing of an ordinary change, nor of a file that was asked for', () => {
      expect(inspect(added('src/price.js', 'export const price = 2;'))).toEqual([]);
      expect(inspect(added('test/price.test.js', "it('is 2', () => console.log(price))"))).toEqual([]);
      expect(inspect(added('CHANGELOG.md', '- x'), 'Add it to CHANGELOG.md')).toEqual([]);
    });

    it('PR6 PR31 PR53 names existing tests that the change touches', () => {
      expect(inspectChange({ files: [], changedTests: ['test/a.test.js'], request: '' })).toEqual([
        'tests that existed are changed or removed: test/a.test.js',
      ]);
    });
  });
});
