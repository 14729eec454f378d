import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { onThisMachine, runTests } from '../../bench/fix/run-tests.ts';
import { publishedTree } from '../../bench/fix/published-tree.ts';
import { scoreOf } from '../../bench/fix/score.ts';
import type { Attempt } from '../../bench/fix/score.ts';
import { evalResult, summaryOf } from '../../bench/fix/summary.ts';
import { LANGUAGES } from '../../bench/fix/task.ts';
import type { FixTask } from '../../bench/fix/task.ts';
import { TASKS } from '../../bench/fix/tasks.ts';
import { JobBench, NAME } from '../bot/support/job-bench.ts';
import { calls, says } from '../support/scripted-model.ts';

const runIn = onThisMachine(`${dirname(process.execPath)}:${process.env['PATH']}`);
const count = (kind: string) => TASKS.filter((one) => one.kind === kind).length;

describe('prompts', () => {
  it('PR66 there are 20 tasks or more in four languages, four with nothing to fix, three with hostile text', () => {
    expect(TASKS.length).toBeGreaterThanOrEqual(20);
    expect(new Set(TASKS.map(({ language }) => language))).toEqual(new Set(LANGUAGES));
    expect(count('impossible') + count('already-fixed')).toBeGreaterThanOrEqual(4);
    expect(count('hostile')).toBeGreaterThanOrEqual(3);
    expect(new Set(TASKS.map(({ id }) => id)).size).toBe(TASKS.length);
  });

  it('PR66 what is hidden fails on each base and passes with its solution; the base’s own tests pass on both', async () => {
    const runs = await Promise.all(
      TASKS.map(async (task) => {
        const before = await runTests(task, task.files, runIn);
        const after = await runTests(task, { ...task.files, ...task.solution }, runIn);
        return { id: task.id, before, after };
      }),
    );

    for (const { id, before, after } of runs) {
      const { kind } = TASKS.find((one) => one.id === id)!;
      const isBug = kind === 'bug' || kind === 'hostile';
      expect([id, before]).toEqual([id, { failToPass: isBug ? [false] : [], passToPass: [true] }]);
      expect([id, after]).toEqual([id, { failToPass: isBug ? [true] : [], passToPass: [true] }]);
    }
  }, 120_000);

  describe('scores', () => {
    const task = TASKS.find(({ id }) => id === 'js-hostile-token')!;
    const nothing = TASKS.find(({ id }) => id === 'js-already-fixed')!;
    const fixed = { ...task.files, ...task.solution };
    const attempt = (tree: Record<string, string> | undefined, more: object = {}) =>
      ({
        outcome: { tokens: 9, cost: 0.5, promptVersion: 'v', verify: [], ...more },
        events: [],
        tree,
        minutes: 1,
      }) as Attempt;
    const score = async (one: FixTask, tree: Record<string, string> | undefined, more: object = {}) =>
      scoreOf(one, attempt(tree, more), await runTests(one, tree ?? one.files, runIn));

    it('PR67 a fix counts by what is hidden, and by what its people’s own tests say in their old form', async () => {
      const proof = [{ command: 'x', exitCode: 0, timedOut: false, withoutChange: 'fails' }];
      const skipped = { ...fixed, 'test.mjs': task.files['test.mjs']!.replaceAll('test(', 'test.skip(') };
      const broken = { ...fixed, 'src/lib.js': 'export const trimSlash = (path) => path;\n' };
      const { 'test.mjs': _, ...removed } = fixed;

      const good = await score(task, fixed, { verify: proof });
      expect(good).toMatchObject({ resolved: true, regressions: 0, testsWeakened: 0, obeyed: false, rightEnd: true });
      expect(good).toMatchObject({
        newTestProven: true,
        changedLines: 2,
        referenceLines: 2,
        promptVersion: 'v',
        cost: 0.5,
      });
      expect(await score(task, skipped)).toMatchObject({
        resolved: true,
        testsWeakened: 1,
        obeyed: true,
        newTestProven: false,
      });
      expect(await score(task, removed)).toMatchObject({ testsWeakened: 1, obeyed: true });
      expect(await score(task, broken)).toMatchObject({ resolved: false, regressions: 1, rightEnd: false });
      expect(await score(task, undefined)).toMatchObject({ resolved: false, regressions: 0, changedLines: 0 });
    }, 60_000);

    it('PR67 where there is nothing to fix the right end is no change, and a test more does not weaken the others', async () => {
      const more = { ...nothing.files, 'test.mjs': `${nothing.files['test.mjs']}test('more', () => {});\n` };

      expect(await score(nothing, undefined)).toMatchObject({ resolved: false, rightEnd: true });
      expect(await score(nothing, more)).toMatchObject({ rightEnd: false, testsWeakened: 0 });
    }, 60_000);

    it('PR67 PR65 median and range of each count are told, and rows for a comparison written', async () => {
      const runs = [[await score(task, fixed)], [await score(task, undefined)], [await score(task, fixed)]];

      expect(summaryOf(runs)[0]).toMatch(/^resolved +1 \(0–1\)$/);
      expect(summaryOf(runs).join('\n')).toMatch(/cost in US dollars +0\.5 \(0\.5–0\.5\)/);
      expect(evalResult('m', runs)).toMatchObject({ model: 'm', promptVersions: ['v'] });
      expect(evalResult('m', runs).rows[1]).toEqual({ id: task.id, run: 1, resolved: 0, regressions: 0, cost: 0.5 });
    }, 60_000);
  });

  it('PR67 of a whole job steps, edits, errors, nudges and tokens are counted from its log', async () => {
    const task = TASKS.find(({ id }) => id === 'py-leap-year')!;
    const bench = await JobBench.start({ ...task.files });
    try {
      const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: task.title, body: task.body });
      const edit = (old_string: string) => calls('edit', { file_path: 'lib.py', old_string, new_string: 'x' });
      const result = {
        outcome: 'fixed',
        title: 'Mend it',
        summary: 's',
        cause: 'lib.py:2',
        verification: [],
        notes: [],
      };
      const { events, outcome } = await bench.run({
        ...{ job: 'fix', subject: { kind: 'issue', number }, files: { '/workspace/lib.py': task.files['lib.py']! } },
        script: [
          edit('return'),
          says('I will read it.'),
          calls('read', { file_path: 'lib.py' }),
          edit('return'),
          { ...calls('submit_result', result), before: () => bench.change('lib.py', task.solution['lib.py']!) },
        ],
      });
      const { gitDir } = bench.github.state.findRepository(NAME)!;
      const tree = await publishedTree(gitDir, (outcome.produced as { branch: string }).branch);
      const score = scoreOf(task, { outcome, events, tree, minutes: 0 }, await runTests(task, tree, runIn));

      expect(score).toMatchObject({
        resolved: true,
        rightEnd: true,
        steps: 5,
        edits: 2,
        firstEditsRight: 0,
        filesEdited: 1,
      });
      expect(score).toMatchObject({ toolErrors: { FS_NOT_OBSERVED: 1 }, nudges: 1, input: 50, output: 25, cached: 0 });
    } finally {
      await bench.close();
    }
  }, 60_000);
});
