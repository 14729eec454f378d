import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, callsAll, says } from '../../support/scripted-model.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter, textOf } from '../support/role-model.ts';

const ANSWERS = [
  ['Sure', refuter('confirmed', 'src/price.js:1')],
  ['Doubted', refuter('unclear', 'none')],
  ['Wrong', refuter('refuted', 'src/sum.js:2 guards it.')],
] as const;

describe('prompts', () => {
  let stage: ReviewStage;
  beforeAll(async () => {
    stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n', 'src/sum.js': 'a\nb\n' });
  });
  afterAll(() => stage.bench.close());

  const named = (title: string, more: object = {}) => finding({ title, ...more });
  const told = () => stage.threads.map(({ comments }) => comments[0]!.body.split('\n')[0]);

  it('PR8 silence is a good result: no thread, a check that succeeds, a verdict that is posted as it is', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = 2;\n' });

    const { outcome } = await stage.review({ script: [says('The price is two, as the title says.')] });

    expect(outcome).toMatchObject({
      status: 'completed',
      problem: undefined,
      produced: { kind: 'review', findings: [] },
    });
    expect(stage.threads).toEqual([]);
    expect(stage.bodies).toEqual([expect.stringContaining('The price is two, as the title says.')]);
    expect(stage.checks().map(({ conclusion }) => conclusion)).toEqual(['success']);
  });

  it('PR8 precision first: what is doubted, unproven or only a matter of taste is told to nobody', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
    const reports = [
      named('Sure', { confidence: 0.85, proof: 'src/price.js:1 src/sum.js:1' }),
      named('Doubted', { confidence: 0.5 }),
      named('Taste', { severity: 'nit', evidence: 'traced' }),
      named('Wrong', { confidence: 0.85, proof: 'src/price.js:1 src/sum.js:2' }),
    ];
    const model = new RoleModel(
      [callsAll(...reports.map((one): [string, object] => ['report_finding', one])), says('One.')],
      {
        refuter: (task) => ANSWERS.find(([title]) => task.includes(`title: ${title}`))![1],
      },
    );

    await stage.review({ model });

    expect(told()).toEqual(['**major: Sure**']);
  });

  it('PR9 a claim without evidence is not taken, and one with evidence is first given to somebody fresh to break', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -2;\n' });
    const { evidence: _, proof: __, ...bare } = named('Bare');
    const model = new RoleModel(
      [calls('report_finding', bare), calls('report_finding', named('Traced')), says('One.')],
      { refuter: () => refuter('confirmed', 'src/price.js:1') },
    );

    const { roles } = await stage.review({ model });

    expect(JSON.stringify(roles.byRole.reviewer[1]!.messages.at(-1))).toMatch(/evidence.*proof|proof.*evidence/);
    expect(roles.byRole.refuter.map((request) => textOf(request).includes('title: Traced'))).toEqual([true]);
    expect(roles.byRole.refuter[0]!.messages.some(({ role }) => role === 'assistant')).toBe(false);
    expect(told()).toEqual(['**major: Traced**']);
  });
});
