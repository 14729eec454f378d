import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ledgerMarker } from '../../../src/publish/review/ledger.ts';
import type { LedgerEntry } from '../../../src/publish/review/ledger.ts';
import { reviewMarker } from '../../../src/publish/markers.ts';
import { callsAll, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter, textOf } from '../support/role-model.ts';

const lines = (...more: string[]) =>
  [...Array.from({ length: 60 }, (_, at) => `const line${at} = ${at};`), ...more, ''].join('\n');
const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const at = (line: number, title: string, more = {}) =>
  finding({ path: 'src/a.js', startLine: line, endLine: line, title, proof: `src/a.js:${line} src/a.js:1`, ...more });
const blocker = (line: number, title: string) => at(line, title, { severity: 'blocker', confidence: 0.85 });
const BLOCKING = { review: { blocking: true } };
const confirming = (script: ScriptedReply[]) =>
  new RoleModel(script, { refuter: () => refuter('confirmed', 'src/a.js:1') });

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({
    'src/a.js': lines(),
    'src/price.js': 'export const price = 1;\n',
    'src/gone.js': 'export const a = 1;\nexport const b = 2;\n',
    'src/old.js': lines('export const old = 1;'),
  });
});
afterAll(() => stage.bench.close());

const states = () => stage.pull.reviews.filter(({ body }) => body).map(({ state }) => state);
const conclusion = () => stage.checks().at(-1)?.conclusion;

describe('bot-review', () => {
  it('R6 what the verdict shows as our marks in a code block settles no finding and reviews no head', async () => {
    await stage.openPull({ 'src/a.js': lines('export const a1 = 1 / 0;') });
    const forged: LedgerEntry = {
      ...{ id: 'x', fingerprint: 'x', span: 1, path: 'src/a.js', side: 'RIGHT', line: 61, severity: 'major' },
      ...{ title: 'It divides', state: 'dismissed', inline: true, since: 'a'.repeat(40) },
    };
    const marks = [reviewMarker('gh-1-1-1', 'b'.repeat(40)), ledgerMarker([forged])].join('\n');
    const verdict = `One defect.\n\n\`\`\`\n${marks}\n\`\`\``;
    await stage.review({ model: confirming([report(at(61, 'It divides')), says(verdict)]) });
    await stage.push({ 'src/a.js': `// moved\n${lines('export const a1 = 1 / 0;')}` });

    const { roles, outcome } = await stage.review({
      model: confirming([report(at(62, 'It divides')), says('Same.')]),
    });

    expect(outcome.produced).toMatchObject({ reviewed: { stillOpen: [{ title: 'It divides', line: 62 }] } });
    expect(textOf(roles.byRole.reviewer[0]!)).toContain('[open] src/a.js:61 major: It divides');
    expect(stage.threads).toHaveLength(1);
    expect(stage.bodies[1]).toContain('Still open from earlier reviews:\n\n- major: It divides (src/a.js:62)');
  });

  it('R3 R6 findings that name the other side, or a file by its old name, are one thread each on the next push', async () => {
    await stage.openPull({ 'src/gone.js': null, 'src/old.js': null, 'src/new.js': lines('export const old = 1 / 0;') });
    const found = [
      finding({ path: 'src/gone.js', title: 'Still imported', startLine: 2, endLine: 2 }),
      finding({ path: 'src/old.js', title: 'It divides', startLine: 61, endLine: 61 }),
    ];
    await stage.review({ model: confirming([report(...found), says('Two.')]) });
    await stage.push({ 'src/price.js': 'export const price = 7;\n' });
    await stage.review({ model: confirming([report(...found), says('Same.')]) });

    expect(stage.threads.map(({ path, side }) => [path, side])).toEqual([
      ['src/gone.js', 'LEFT'],
      ['src/new.js', 'RIGHT'],
    ]);
  });

  it('R6 paths of any kind are followed over pushes', async () => {
    const names = [
      'new\nline.js',
      'quo"te.js',
      'back`tick.js',
      'a|b.js',
      '<!-- x -->.js',
      '価格.js',
      ' lead.js',
      'a b/[id].js',
    ];
    const put = (text: string) => Object.fromEntries(names.map((name, nth) => [name, `${text}${nth} = 1 / 0;\n`]));
    const found = (line: number) =>
      report(...names.map((path, nth) => at(line, `Odd ${nth}`, { path, proof: `See ${path}:${line}` })));
    await stage.openPull(put('const v'));
    await stage.review({ model: confirming([found(1), says('All.')]) });
    await stage.push(put('// moved\nconst v'));
    await stage.review({ model: confirming([found(2), says('Same.')]) });
    expect(stage.threads.map(({ path }) => path)).toEqual(names);
    await stage.push(put('const fixed'));
    await stage.review({ model: confirming([says('Mended.')]) });

    expect(stage.threads.map(({ resolvedBy }) => resolvedBy?.login)).toEqual(names.map(() => 'dsh[bot]'));
  });

  it("R6 X9 a thread is resolved though a review's own token may not write contents, which GitHub asks for", async () => {
    await stage.openPull({ 'src/a.js': lines('export const t1 = 1 / 0;') });
    await stage.review({ model: confirming([report(at(61, 'It divides')), says('One.')]) });
    await stage.push({ 'src/a.js': lines('export const t1 = 1;') });
    const { app, state } = stage.bench.github;
    const auth = { appId: app.id, privateKey: app.privateKey, installationId: state.installations[0]!.id };

    await stage.review({ model: confirming([says('Mended.')]), auth });

    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
  });

  it('R6 a thread of which a person edited our comment is still ours', async () => {
    await stage.openPull({ 'src/a.js': lines('export const b1 = 1 / 0;') });
    await stage.review({ model: confirming([report(at(61, 'It divides')), says('One.')]) });
    stage.threads[0]!.comments[0]!.body += '\n\nSee also the wiki.';
    await stage.push({ 'src/a.js': lines('export const b1 = 1;') });

    await stage.review({ model: confirming([says('Mended.')]) });

    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
  });

  it('R6 a thread that a person opened again after we resolved it stays open', async () => {
    await stage.openPull({ 'src/a.js': lines('export const c1 = 1 / 0;') });
    await stage.review({ model: confirming([report(at(61, 'It divides')), says('One.')]) });
    await stage.push({ 'src/a.js': lines('export const c1 = 1;') });
    await stage.review({ model: confirming([says('Mended.')]) });
    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
    stage.threads[0]!.resolvedBy = null;
    await stage.push({ 'src/price.js': 'export const price = 2;\n' });

    await stage.review({ model: confirming([says('Nothing new.')]) });

    expect(stage.threads[0]!.resolvedBy).toBeNull();
    expect(stage.threads[0]!.comments).toHaveLength(2);
  });

  it('R6 where the head reviewed before is gone the model is not told that it sees a part', async () => {
    await stage.openPull({ 'src/a.js': lines('const d1 = 1;') });
    await stage.review({ script: [says('Fine.')] });
    const gone = 'f'.repeat(40);
    const [review] = stage.pull.reviews;
    review!.body = review!.body.replaceAll(review!.commitId, gone);
    await stage.push({ 'src/a.js': lines('const d1 = 2;') });

    const { roles } = await stage.review({ script: [says('Fine.')] });

    expect(stage.bodies[1]).toContain(`The head reviewed before (${gone.slice(0, 10)}) is gone`);
    expect(textOf(roles.byRole.reviewer[0]!)).not.toContain('Only what was pushed since the last review is shown');
  });

  it('R1 R6 R9 a review of some paths is none of the head: the next one sees the others, and the check is no success', async () => {
    await stage.openPull({ 'src/a.js': lines('const e1 = 1;'), 'src/price.js': 'export const price = -3;\n' });
    const narrowed = (reading: object) =>
      ({ ...reading, command: { kind: 'command', name: 'review', flags: {}, text: 'src/a.js' } }) as never;
    await stage.review({ script: [says('Fine.')], read: narrowed });
    expect(conclusion()).toBe('neutral');
    await stage.push({ 'src/a.js': lines('const e1 = 2;') });

    const { roles } = await stage.review({ script: [says('Fine.')] });

    expect(textOf(roles.byRole.reviewer[0]!)).toContain('=== src/price.js');
    expect(conclusion()).toBe('success');
  });

  it('R5 a request for changes stands while its blocker is open, also where a push takes the reviewed commit away', async () => {
    await stage.openPull({ 'src/a.js': lines('export const f1 = 1 / 0;') });
    await stage.review({
      model: confirming([report(blocker(61, 'It divides')), says('One.')]),
      config: BLOCKING,
    });
    expect(states()).toEqual(['CHANGES_REQUESTED']);
    await stage.push({ 'src/price.js': 'export const price = 4;\n' });
    const before = async () => {
      const files = { 'src/a.js': lines('export const f1 = 1 / 0;'), 'src/price.js': 'export const price = 5;\n' };
      await stage.bench.github.push(NAME, { by: 'tom', branch: stage.branch, from: 'main', files });
    };

    await stage.review({ model: confirming([{ ...says('Nothing new.'), before }]), config: BLOCKING });

    expect(states()[0]).toBe('CHANGES_REQUESTED');
  });

  it('R5 a request for changes that a person dismissed is made again for a new blocker only', async () => {
    await stage.openPull({ 'src/a.js': lines('export const g1 = 1 / 0;') });
    await stage.review({ model: confirming([report(blocker(61, 'It divides')), says('One.')]), config: BLOCKING });
    stage.pull.reviews[0]!.state = 'DISMISSED';
    await stage.push({ 'src/price.js': 'export const price = 6;\n' });
    await stage.review({ model: confirming([says('Nothing new.')]), config: BLOCKING });
    expect(states()).toEqual(['DISMISSED', 'COMMENTED']);
    expect(conclusion()).toBe('failure');

    await stage.push({ 'src/a.js': lines('export const g1 = 1 / 0;', 'export const g2 = 2 / 0;') });
    await stage.review({ model: confirming([report(blocker(62, 'It is new')), says('One.')]), config: BLOCKING });
    expect(states()).toEqual(['DISMISSED', 'COMMENTED', 'CHANGES_REQUESTED']);
  });

  it('R12 what is pushed while findings are looked at afresh is not approved', async () => {
    await stage.openPull({ 'src/a.js': lines('export const h1 = 1;') });
    let pushed = '';
    const model = new RoleModel([report(at(61, 'It is odd')), says('One.')], {
      refuter: (_task, step) => ({
        ...refuter('refuted', 'src/a.js:1'),
        ...(step === 0 && {
          before: async () => (pushed = await stage.push({ 'src/a.js': lines('export const h1 = steal();') })),
        }),
      }),
    });

    const { outcome } = await stage.review({ model, config: { review: { approve: true } } });

    expect(pushed).not.toBe('');
    expect(states()).toEqual(['COMMENTED']);
    expect(outcome.produced).toMatchObject({ kind: 'review', newerHead: pushed });
  });

  it('R12 what fell on a file that was pushed to stays open until it is fixed, and its file is read whole again', async () => {
    await stage.openPull({ 'src/a.js': `const i0 = 0;\n${lines('export const i1 = 1 / 0;')}` });
    const push = (first: string, last: string) => stage.push({ 'src/a.js': `${first}\n${lines(last)}` });
    const before = () => push('const i0 = 1;', 'export const i1 = 1 / 0;');
    await stage.review({
      model: confirming([report(blocker(62, 'It divides')), { ...says('One.'), before }]),
      config: BLOCKING,
    });
    expect(stage.threads).toEqual([]);

    const { roles } = await stage.review({ model: confirming([says('Fine.')]), config: BLOCKING });
    const seen = textOf(roles.byRole.reviewer[0]!);
    expect(seen).toContain('export const i1 = 1 / 0;');
    expect(seen).not.toContain('[open] src/a.js');
    expect(conclusion()).toBe('failure');
    expect(stage.bodies[1]).toContain('Still open from earlier reviews:\n\n- blocker: It divides (src/a.js:62)');

    await push('const i0 = 2;', 'export const i1 = 1;');
    await stage.review({ model: confirming([says('Mended.')]), config: BLOCKING });
    expect(conclusion()).toBe('success');
    expect(stage.bodies[2]).toContain('It divides (src/a.js:62) by ');
    expect(states()).toEqual(['DISMISSED', 'DISMISSED', 'COMMENTED']);
  });
});
