import { beforeAll, describe, expect, it } from '@jest/globals';
import { DayBudget } from '../../../src/bot/limits/day-budget.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import { calls, fails } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };
const DAY = 24 * 60 * 60 * 1000;
const LIMITS = { person: 20, repository: 50 };

describe('bot-fix', () => {
  describe('in a job', () => {
    const bench = useJobBench({ 'a.txt': 'a\n' });
    beforeAll(async () => {
      await bench.github.openIssue(NAME, { by: 'tom', title: 'x' });
    });

    const look = () => calls('bash', { command: 'git --version', description: 'look' });
    const fix = (script: JobCall['script'], day = LIMITS) =>
      bench.run({ job: 'fix', subject: { kind: 'issue', number: 1 }, script, config: { budget: { day } } });
    const spent = (tally: string) => bench.records.spending.spent(tally, 0);

    it('F5 what a turn costs is booked on its day, failed attempts and calls after the last step included', async () => {
      const { outcome } = await fix([look(), fails('SERVER'), calls('submit_result', RESULT)]);

      expect(outcome.cost).toBeGreaterThan(0);
      expect(await spent('person:5')).toBeCloseTo(outcome.cost!, 10);
      expect(await spent(`repository:${bench.github.state.repositories[0]!.id}`)).toBeCloseTo(outcome.cost!, 10);
    });

    it.each([
      ['person', 'US dollars a day for maria'],
      ['repository', 'US dollars a day for this repository'],
    ] as const)("F5 the day's budget of a %s ends the turn that reaches it, and says which", async (whose, words) => {
      const cap = (await spent('person:5')) + 0.000001;
      const { outcome, events, model } = await fix([look(), look()], { ...LIMITS, [whose]: cap });

      expect(model.requests).toHaveLength(1);
      expect(outcome).toMatchObject({
        status: 'stopped',
        problem: { code: 'BUDGET', message: expect.stringContaining(words) },
      });
      expect(events.filter(({ type }) => type === 'budget/stop')).toMatchObject([{ data: { limit: words, cap } }]);
    });

    it('F5 no turn begins, and no model is asked, on a day whose budget is spent', async () => {
      const { outcome, model } = await fix([look()], { ...LIMITS, person: 0.0000001 });

      expect(model.requests).toHaveLength(0);
      expect(outcome).toMatchObject({
        status: 'stopped',
        problem: { code: 'BUDGET', hint: expect.stringContaining('midnight UTC') },
      });
    });
  });

  it('F5 a new day has its own budget, and an unknown price costs nothing', async () => {
    const store = openMemoryStore(() => new Date(0));
    let at = 0;
    const paid: { cost?: number } = {};
    const budget = new DayBudget({
      ...{ spending: store.records.spending, now: () => new Date(at), limits: LIMITS, spent: () => paid.cost },
      ...{ person: { id: 1, login: 'maria' }, repository: 2 },
    });

    budget.begin();
    await budget.book();
    expect(await budget.exceeded()).toBeUndefined();
    paid.cost = 21;
    await Promise.all([budget.book(), budget.book()]);
    expect(await budget.exceeded()).toMatchObject({ spent: 21, cap: 20 });
    at = DAY;
    expect(await budget.exceeded()).toBeUndefined();
    await store.close();
  });

  it('F5 what a turn had cost before this process took it over is not booked twice', async () => {
    const store = openMemoryStore(() => new Date(0));
    const paid = { cost: 3 };
    const budget = new DayBudget({
      ...{ spending: store.records.spending, now: () => new Date(0), limits: LIMITS, spent: () => paid.cost },
      ...{ person: { id: 1, login: 'maria' }, repository: 2 },
    });

    budget.begin();
    paid.cost = 5;
    await budget.book();

    expect(await store.records.spending.spent('person:1', 0)).toBe(2);
    await store.close();
  });
});
