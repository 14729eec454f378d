import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { decide } from '../../bench/compare/decide.ts';
import type { EvalResult, EvalRow } from '../../bench/compare/eval-result.ts';
import { evalResult } from '../../bench/review/eval-rows.ts';

const TASKS = ['a', 'b'];

/** Runs whose two tasks came out so, each count given for every run. */
function result(
  counts: Partial<Record<'resolved' | 'regressions' | 'right' | 'told' | 'cost', number[]>>,
  model = 'm',
): EvalResult {
  const {
    resolved = [4, 5, 6],
    regressions = [0, 0, 0],
    right = [4, 5, 6],
    told = [8, 10, 12],
    cost = [10, 11, 12],
  } = counts;
  const rows = resolved.flatMap((_, run) =>
    TASKS.map((id, at): EvalRow => {
      const of = (values: readonly number[]) => (at === 0 ? values[run]! : 0);
      return {
        id,
        run,
        resolved: of(resolved),
        regressions: of(regressions),
        right: of(right),
        told: of(told),
        cost: of(cost),
      };
    }),
  );
  return { model, promptVersions: ['v'], rows: rows as EvalResult['rows'] };
}

const BEFORE = result({});
const verdicts = (after: EvalResult) =>
  Object.fromEntries(decide(BEFORE, after).comparisons.map(({ count, verdict }) => [count, verdict]));

describe('prompts', () => {
  it('PR68 a change is kept only if one count is better and none is worse beyond the spread of the runs', () => {
    expect(decide(BEFORE, result({ resolved: [7, 8, 9] }))).toMatchObject({ keep: true, why: 'better: resolved' });
    expect(decide(BEFORE, result({ cost: [5, 6, 7] }))).toMatchObject({ keep: true, why: 'better: cost' });
    expect(decide(BEFORE, result({ resolved: [7, 8, 9], cost: [20, 21, 22] }))).toMatchObject({
      keep: false,
      why: 'worse: cost',
    });
    expect(decide(BEFORE, result({ resolved: [7, 8, 9], regressions: [1, 2, 1] }))).toMatchObject({ keep: false });
    expect(decide(BEFORE, result({ told: [40, 50, 60] }))).toMatchObject({ keep: false, why: 'worse: precision' });
  });

  it('PR68 what shows no effect is dropped, and what stays within the spread is none', () => {
    expect(decide(BEFORE, BEFORE)).toMatchObject({ keep: false, why: 'no effect beyond the spread of the runs' });
    expect(verdicts(result({ resolved: [5, 6, 7] }))).toMatchObject({ resolved: 'same' });
    expect(verdicts(result({ resolved: [3, 7, 9] }))).toMatchObject({ resolved: 'same' });
    expect(verdicts(result({ resolved: [1, 2, 3] }))).toMatchObject({ resolved: 'worse' });
  });

  it('PR68 other models, other tasks and fewer than three runs are not compared', () => {
    const other = result({});
    other.rows[0]!.id = 'c';

    expect(() => decide(BEFORE, result({}, 'other'))).toThrow('two models');
    expect(() => decide(BEFORE, other)).toThrow('not over the same tasks');
    expect(() => decide(result({ resolved: [1, 2] }), result({ resolved: [1, 2] }))).toThrow('2 runs');
  });

  it('PR67 PR65 median and range are told of each count; the rows of a review name its prompts', () => {
    const score = {
      id: 'a',
      defects: 2,
      found: 1,
      placed: 1,
      duplicates: 1,
      falseAlarms: 2,
      tokens: 7,
      cost: undefined,
    };
    const { rows, promptVersions } = evalResult('m', [
      [{ ...score, promptVersion: 'v1' }],
      [{ ...score, promptVersion: 'v1' }],
    ]);

    expect(promptVersions).toEqual(['v1']);
    expect(rows[1]).toEqual({ id: 'a', run: 1, resolved: 1, regressions: 0, told: 4, right: 1, cost: 7 });
    const [resolved] = decide(BEFORE, result({ resolved: [9, 7, 30] })).comparisons;
    expect(resolved).toMatchObject({
      before: { median: 5, least: 4, most: 6 },
      after: { median: 9, least: 7, most: 30 },
    });
  });

  describe('npm run eval:compare', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dsh-compare-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('PR68 tells each count and ends with the decision', () => {
      const file = (name: string, value: unknown) => {
        writeFileSync(join(folder, name), JSON.stringify(value));
        return join(folder, name);
      };
      const run = (...files: string[]) =>
        spawnSync(process.execPath, ['--no-warnings', 'bench/compare/main.ts', ...files], { encoding: 'utf8' });
      const before = file('before.json', BEFORE);

      const kept = run(before, file('after.json', result({ resolved: [7, 8, 9] })));
      const dropped = run(before, before);

      expect(kept.stdout).toMatch(/^resolved +5 \(4–6\) {2}→ {2}8 \(7–9\) {2}better$/m);
      expect([kept.stdout.trim().split('\n').at(-1), kept.status]).toEqual(['keep: better: resolved', 0]);
      expect([dropped.stdout.trim().split('\n').at(-1), dropped.status]).toEqual([
        'drop: no effect beyond the spread of the runs',
        1,
      ]);
      expect(run(before, file('odd.json', { model: 'm' })).status).not.toBe(0);
    });
  });
});
