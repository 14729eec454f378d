import { describe, expect, it } from '@jest/globals';
import { carelessReports } from '../../bench/review/careless-reviewer.ts';
import { runScripted } from '../../bench/review/scripted-run.ts';
import { scoreOf } from '../../bench/review/score.ts';
import { LANGUAGES, lineOf } from '../../bench/review/seed.ts';
import { SEEDS } from '../../bench/review/seeds.ts';

describe('prompts', () => {
  it('PR66 there are 30 changes or more in five languages, ten of them with nothing wrong, each its own', () => {
    expect(SEEDS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(SEEDS.map(({ language }) => language))).toEqual(new Set(LANGUAGES));
    expect(SEEDS.filter(({ defects }) => defects.length === 0).length).toBeGreaterThanOrEqual(10);
    expect(new Set(SEEDS.map(({ id }) => id)).size).toBe(SEEDS.length);
    for (const { base, head } of SEEDS) expect(base).not.toBe(head);
  });

  it('PR67 counts what was found, on its line, twice, and where nothing is wrong', () => {
    const seed = SEEDS.find(({ defects }) => defects.length === 1)!;
    const line = lineOf(seed.head, seed.defects[0]!.line);
    const told = (...lines: (number | undefined)[]) =>
      scoreOf(
        seed,
        lines.map((at) => ({ line: at, title: at === undefined ? seed.defects[0]!.title : 'x' })),
      );

    expect(told(line)).toEqual({ defects: 1, found: 1, placed: 1, duplicates: 0, falseAlarms: 0 });
    expect(told(line + 1, line)).toMatchObject({ found: 1, placed: 1, duplicates: 1 });
    expect(told(line + 1)).toMatchObject({ found: 1, placed: 0 });
    expect(told(undefined)).toMatchObject({ found: 1, placed: 0, falseAlarms: 0 });
    expect(told(line + 50)).toMatchObject({ found: 0, falseAlarms: 1 });
    expect(told()).toMatchObject({ found: 0, falseAlarms: 0 });
  });

  it('PR67 of a careless reviewer’s reports the pipeline tells each defect once, on its line, and no false alarm', async () => {
    const seeds = LANGUAGES.map((language) =>
      SEEDS.find((seed) => seed.language === language && seed.defects.length > 0)!,
    );
    expect(carelessReports(seeds[0]!, 'x', { shift: 0, words: '' }).length).toBeGreaterThan(5);

    const scores = await runScripted(seeds);

    for (const { first, moved, leftOpen } of scores) {
      expect(first).toEqual({ defects: 1, found: 1, placed: 1, duplicates: 0, falseAlarms: 0 });
      expect(moved).toEqual(first);
      expect(leftOpen).toBe(0);
    }
  }, 180_000);
});
