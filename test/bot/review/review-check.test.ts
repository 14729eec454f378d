import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGitHub } from '../../../src/github/client.ts';
import { CommentSurface } from '../../../src/publish/progress/comment-surface.ts';
import { concludeCheck } from '../../../src/github/checks.ts';
import { planCheck } from '../../../src/publish/review/plan-check.ts';
import { endLeftCheck, openCheckProgress, tellOwnHead } from '../../../src/publish/review/review-check.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import { callsAll, says } from '../../support/scripted-model.ts';
import { found } from '../../publish/support/one-pull.ts';
import { ReviewStage, automatically, finding } from '../support/review-stage.ts';
import { RoleModel, refuter } from '../support/role-model.ts';

const REPO = { owner: 'acme', repo: 'shop' };
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => `export const price${at} = -${at};`).join('\n');
const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const confirmed = (script: Parameters<typeof report>[0][]) =>
  new RoleModel(script as never, { refuter: () => refuter('confirmed', 'src/price.js:1') });

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n' });
});
afterAll(() => stage.bench.close());

const surface = (permissions?: Record<string, 'read' | 'write'>) => {
  const { github } = stage.bench;
  const auth = github.createToken({ installation: 'acme', ...(permissions && { permissions }) });
  return new CommentSurface({
    ...{ github: createGitHub({ auth, apiUrl: github.apiUrl }), repo: REPO, ownLogin: 'dsh[bot]', everyMs: 5 },
    ...{ redact: (text: string) => text, log: () => {} },
  });
};
const comments = () => stage.bench.github.state.findRepository('acme/shop')!.issues.get(stage.number)!.comments;
const turnOf = (headSha: string) =>
  ({
    kind: 'turn',
    reading: {
      kind: 'pull-request',
      cause: 'head-x',
      headSha,
      subject: { kind: 'pull', number: stage.number },
      actor: { login: 'tom' },
    },
  }) as unknown as Turn;

describe('bot-review', () => {
  it('R9 a review ends the check of its head, with an annotation on each line, 50 a call', async () => {
    await stage.openPull({ 'src/price.js': `${rows(120)}\n` });
    const found = Array.from({ length: 120 }, (_, at) =>
      finding({ startLine: at + 1, endLine: at + 1, title: `Negative ${at}` }),
    );
    const before = stage.bench.github.requests.length;

    await stage.review({ model: confirmed([report(...found), says('All are negative.')]) });

    const [check, ...more] = stage.checks();
    expect(more).toEqual([]);
    expect(check).toMatchObject({ name: 'dsh review', status: 'completed', conclusion: 'neutral' });
    expect(check!.output).toMatchObject({ title: '120 findings', summary: 'All are negative.' });
    expect(check!.annotations).toHaveLength(120);
    expect(check!.annotations[0]).toMatchObject({
      path: 'src/price.js',
      annotation_level: 'warning',
      title: expect.stringContaining('major: Negative'),
    });
    const patches = stage.bench.github.requests
      .slice(before)
      .filter(({ method, path }) => method === 'PATCH' && path.includes('check-runs'));
    expect(patches).toHaveLength(3);
  });

  it('R9 an open blocker of an earlier head goes on failing the check, until it is fixed', async () => {
    const config = { review: { blocking: true } };
    await stage.openPull({ 'src/price.js': 'export const price = -1;\nexport const b = 2;\n' });
    const blocker = finding({ severity: 'blocker', evidence: 'traced', proof: 'src/price.js:1 to src/price.js:2' });
    const conclusion = () => stage.checks().at(-1)!.conclusion;

    await stage.review({ model: confirmed([report(blocker), says('It blocks.')]), config });
    expect(conclusion()).toBe('failure');
    expect(stage.pull.reviews.map(({ state }) => state)).toEqual(['CHANGES_REQUESTED']);

    await stage.push({ 'other.js': 'x\n' });
    await stage.review({ script: [says('Nothing new.')], config });
    expect(conclusion()).toBe('failure');
    expect(stage.checks().at(-1)!.annotations).toMatchObject([
      { start_line: 1, annotation_level: 'failure', message: expect.stringContaining('Still open') },
    ]);

    await stage.push({ 'src/price.js': 'export const price = 1.5;\nexport const b = 2;\n' });
    await stage.review({ script: [says('Mended.')], config });
    expect(conclusion()).toBe('success');
    const reviews = stage.pull.reviews.filter(({ body }) => body !== '');
    expect(reviews.map(({ state }) => state)).toEqual(['DISMISSED', 'DISMISSED', 'COMMENTED']);
  });

  it.each([
    ['nothing open', [], [], true, 'success'],
    ['a minor one', [found({ severity: 'minor' })], [], true, 'neutral'],
    ['a blocker that does not block', [found({ severity: 'blocker' })], [], false, 'neutral'],
    ['a blocker that blocks', [found({ severity: 'blocker' })], [], true, 'failure'],
    ['an earlier one alone', [], [{ severity: 'major', side: 'LEFT' }], true, 'neutral'],
  ] as const)('R9 %s ends the check %s', (_, told, stillOpen, blocking, conclusion) => {
    const findings = told.map((one) => ({ finding: one, place: undefined, moved: false }));

    expect(planCheck({ findings, stillOpen: stillOpen as never, blocking, isPart: false, verdict: '' })).toMatchObject({
      conclusion,
    });
  });

  it('R9 a review of only the paths that were asked for is no success of the head', () => {
    const nothing = { findings: [], stillOpen: [], blocking: true, verdict: '' };

    expect(planCheck({ ...nothing, isPart: true })).toMatchObject({ conclusion: 'neutral' });
  });

  it('R9 a token without the right to write checks fails no review', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -3;\n' });
    const before = stage.checks().length;

    const { outcome } = await stage.review({ script: [says('Fine.')], by: 'maria' });

    expect(outcome.status).toBe('completed');
    expect(stage.pull.reviews).toHaveLength(1);
    expect(stage.checks()).toHaveLength(before);
  });

  it('R9 a head we pushed has its check at once, neutral', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -4;\n' });
    const github = createGitHub({
      auth: stage.bench.github.createToken({ installation: 'acme' }),
      apiUrl: stage.bench.github.apiUrl,
    });

    await tellOwnHead({ github, repo: REPO, headSha, ownLogin: 'dsh[bot]' });

    expect(stage.checks()).toMatchObject([{ name: 'dsh review', status: 'completed', conclusion: 'neutral' }]);
  });
});

describe('bot-human-loop', () => {
  const JOB = { session: 'gh-1-1-1', cause: 'head-x' };

  it('P2 an automatic review has no comment: its check run is its progress', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -5;\n' });

    const progress = await surface().openProgress(turnOf(headSha), JOB, () => 'drawn');
    const [check] = stage.checks();
    expect(check).toMatchObject({ status: 'in_progress', externalId: 'gh-1-1-1 head-x' });
    progress.changed('a step');
    await progress.end({ state: 'failed', parts: [{ kind: 'said', text: 'The model key was rejected.' }] });

    expect(check).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      output: { summary: 'The model key was rejected.' },
    });
    expect(comments()).toEqual([]);
  });

  it('P2 after a crash the open check is found, and no second one made', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -6;\n' });

    await surface().openProgress(turnOf(headSha), JOB, () => '');
    await surface().openProgress(turnOf(headSha), JOB, () => '');

    expect(stage.checks()).toHaveLength(1);
  });

  it('P2 T6 of two bots that review a head at once the one that came later ends its check and goes', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -9;\n' });
    const { github } = stage.bench;
    const actions = createGitHub({ auth: github.createToken({ actions: 'acme/shop' }), apiUrl: github.apiUrl });
    const place = { github: actions, repo: REPO, headSha, ownLogin: 'github-actions[bot]' };
    const theirs = await openCheckProgress(place, { ...JOB, session: 'gh-1-1-1' });

    await expect(surface().openProgress(turnOf(headSha), JOB, () => '')).rejects.toMatchObject({
      code: 'TAKEN_ELSEWHERE',
    });

    const [first, ours] = stage.checks();
    expect(first).toMatchObject({ status: 'in_progress' });
    expect(ours).toMatchObject({ conclusion: 'neutral', output: { title: 'Reviewed by another bot' } });
    await theirs!.end({ state: 'failed', parts: [] });
    expect(await surface().openProgress(turnOf(headSha), JOB, () => '')).toBeDefined();
  });

  it('T6 a bot whose review has ended by the time the other looks is first all the same', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -11;\n' });
    const { github } = stage.bench;
    const actions = createGitHub({ auth: github.createToken({ actions: 'acme/shop' }), apiUrl: github.apiUrl });
    const place = { github: actions, repo: REPO, headSha, ownLogin: 'github-actions[bot]' };
    await openCheckProgress(place, JOB);
    const made = planCheck({ findings: [], stillOpen: [], blocking: true, isPart: false, verdict: '' });
    await concludeCheck(actions, REPO, { id: stage.checks()[0]!.id }, made);

    await expect(surface().openProgress(turnOf(headSha), JOB, () => '')).rejects.toMatchObject({
      code: 'TAKEN_ELSEWHERE',
    });

    expect(stage.checks()).toMatchObject([
      { output: { title: 'No defects found' } },
      { output: { title: 'Reviewed by another bot' } },
    ]);
  });

  it('T6 R13 a head that another bot left for a newer one, and that comes back, is reviewed', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -12;\n' });
    const { github } = stage.bench;
    const actions = createGitHub({ auth: github.createToken({ actions: 'acme/shop' }), apiUrl: github.apiUrl });
    const place = { github: actions, repo: REPO, headSha, ownLogin: 'github-actions[bot]' };
    const theirs = { ...JOB, session: 'gh-1-1-1' };
    await openCheckProgress(place, theirs);
    await endLeftCheck(place, { ...theirs, why: 'superseded' });

    expect(await surface().openProgress(turnOf(headSha), JOB, () => '')).toBeDefined();
  });

  it('P2 R9 the review itself ends it, and the end of the progress changes nothing of that', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -7;\n' });
    const reading = automatically(headSha)({ repo: {}, subject: {}, delivery: 'd' } as never);
    const session = `gh-${stage.bench.github.state.findRepository('acme/shop')!.id}-${stage.number}-1`;
    const progress = await surface().openProgress(turnOf(headSha), { session, cause: reading.cause }, () => '');

    await stage.review({ script: [says('Fine.')], read: automatically(headSha) });
    await progress.end({ state: 'done', parts: [] });

    expect(stage.checks()).toMatchObject([{ conclusion: 'success', output: { title: 'No defects found' } }]);
  });

  it('P2 where checks cannot be written, the review has a comment as any job', async () => {
    const headSha = await stage.openPull({ 'src/price.js': 'export const price = -8;\n' });

    await surface({ contents: 'read', issues: 'write', pull_requests: 'write' }).openProgress(
      turnOf(headSha),
      JOB,
      () => 'drawn',
    );

    expect(comments().map(({ body }) => body)).toEqual(['drawn']);
    expect(stage.checks()).toEqual([]);
  });
});
