import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { openCheckProgress } from '../../../src/publish/review/review-check.ts';
import type { JobCall } from '../support/job-bench.ts';
import { ReviewStage, automatically, finding } from '../support/review-stage.ts';

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n' });
});
afterAll(() => stage.bench.close());

const every: ConfigFile = { review: { auto: 'every-push' } };

/** A review of a head; while its first step is made another one is pushed. */
async function pushedOver(call: Partial<JobCall>, by: 'event' | 'person' = 'event') {
  const headSha = await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
  const { repo, subject } = { repo: { owner: 'acme', repo: 'shop' }, subject: stage.number };
  const { github, ownLogin } = stage.bench.access();
  const session = `gh-${stage.bench.github.state.findRepository('acme/shop')!.id}-${subject}-1`;
  await openCheckProgress({ github, repo, headSha, ownLogin }, { session, cause: `head-${headSha}` });
  const script = [
    {
      ...calls('grep', { pattern: 'price' }),
      before: () => stage.push({ 'src/price.js': 'export const price = -2;\n' }),
    },
    calls('report_finding', finding()),
    says('One defect.'),
  ];
  const run = await stage.review({
    script,
    takesEachPush: true,
    ...(by === 'event' && { read: automatically(headSha) }),
    ...call,
  });
  return { ...run, headSha };
}

describe('bot-review', () => {
  it('R13 where pushes are not waited for, a review that another push follows at once ends without a word, and costs no further step', async () => {
    const { outcome, roles, headSha } = await pushedOver({ config: every });

    expect(stage.pull.reviews).toEqual([]);
    expect(roles.byRole.reviewer).toHaveLength(1);
    expect(outcome).toMatchObject({
      status: 'completed',
      produced: { kind: 'nothing' },
      summary: 'Superseded: a newer head is reviewed in its place.',
    });
    expect(stage.checks(headSha)).toMatchObject([
      { status: 'completed', conclusion: 'neutral', output: { title: 'Superseded' } },
    ]);
  });

  it('R13 a push during the very last step counts, too', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
    const last = { ...says('Fine.'), before: () => stage.push({ 'src/price.js': 'export const price = -2;\n' }) };

    await stage.review({ script: [last], takesEachPush: true, read: automatically(headSha), config: every });

    expect(stage.pull.reviews).toEqual([]);
  });

  it.each([
    ['of a bot', { by: 'dsh[bot]' }],
    ['that lets no workflow run', { message: 'Format [skip ci]' }],
  ])('R13 T7 a push %s starts no review, so that it supersedes none', async (_, push) => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
    const format = () => stage.push({ 'src/price.js': 'export const price = -1; // formatted\n' }, push);
    const script = [{ ...calls('report_finding', finding()), before: format }, says('One defect.')];

    await stage.review({ script, takesEachPush: true, read: automatically(headSha), config: every });

    expect(stage.bodies).toHaveLength(1);
  });

  it.each<[string, Partial<JobCall>, 'event' | 'person']>([
    ['no push starts a review by itself', { config: { review: { auto: 'opened' } } }, 'event'],
    ['pushes had been waited for', { config: every, takesEachPush: false }, 'event'],
    [
      'the push came later than it would have been waited for',
      { config: { review: { auto: 'every-push', debounceMs: 0 } } },
      'event',
    ],
    ['a person asked for it', { config: every }, 'person'],
  ])('R12 R13 a review that is pushed over is posted where %s', async (_where, call, by) => {
    await pushedOver(call, by);

    expect(stage.bodies).toHaveLength(1);
    expect(stage.bodies[0]).toContain('a push has changed this file since');
  });
});
