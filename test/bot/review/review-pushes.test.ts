import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, callsAll, says } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter, textOf } from '../support/role-model.ts';

const lines = (...more: string[]) =>
  [...Array.from({ length: 30 }, (_, at) => `const line${at} = ${at};`), ...more, ''].join('\n');
const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const at = (line: number, title: string, more = {}) =>
  finding({ path: 'src/a.js', startLine: line, endLine: line, title, proof: `src/a.js:${line}`, ...more });

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({
    'src/a.js': lines(),
    'src/price.js': 'export const price = 1;\n',
    'other.js': 'x\n',
  });
});
afterAll(() => stage.bench.close());

describe('bot-review', () => {
  it('R6 E8 the same finding on three pushes, each moved by seven lines, is one thread', async () => {
    await stage.openPull({ 'src/a.js': lines('export const bad = 1 / 0;') });
    await stage.review({ script: [report(at(31, 'It divides by zero')), says('One defect.')] });

    for (const push of [1, 2]) {
      const above = Array.from({ length: 7 * push }, (_, n) => `// note ${n}`);
      await stage.push({ 'src/a.js': `${above.join('\n')}\n${lines('export const bad = 1 / 0;')}` });
      const told = at(31 + 7 * push, `Division by zero, told anew ${push}`);
      await stage.review({ script: [report(told), says('Still there.')] });
    }

    expect(stage.threads).toHaveLength(1);
    expect(stage.threads[0]!.comments).toHaveLength(1);
    expect(stage.bodies).toHaveLength(3);
    expect(stage.bodies[2]).toContain('Still open from earlier reviews:\n\n- major: It divides by zero (src/a.js:45)');
  });

  it('R6 E8 a finding without code at its lines is told once, however often it is pushed, renamed and found again', async () => {
    await stage.openPull({ 'src/a.js': lines('export const h1 = 1;') });
    const nowhere = (line: number, title: string, path = 'src/a.js') => at(line, title, { path, proof: `${path}:1` });
    await stage.review({ script: [report(nowhere(90, 'The end of the file has no test')), says('One.')] });
    await stage.push({ 'src/a.js': lines('export const h1 = 2;') });
    await stage.review({ script: [report(nowhere(97, 'The end of the file has no test')), says('Still.')] });
    await stage.push({ 'src/a.js': null, 'src/moved.js': lines('export const h1 = 2;') });
    const told = nowhere(97, 'The file’s end has no test', 'src/moved.js');
    const { outcome } = await stage.review({ script: [report(told), says('Still there.')] });

    expect(stage.bodies.map((body) => body.includes('| major |'))).toEqual([true, false, false]);
    expect(stage.bodies[2]).toContain(
      'Still open from earlier reviews:\n\n- major: The end of the file has no test (src/moved.js:97)',
    );
    expect(outcome.produced).toMatchObject({ kind: 'review', findings: [] });
  });

  it('R6 a finding without code is fixed once a fresh look proves it, and not before', async () => {
    await stage.openPull({ 'src/a.js': lines('export const i1 = 1;') });
    const found = at(90, 'Nothing tests the end', { proof: 'src/a.js:1' });
    await stage.review({ script: [report(found), says('One.')] });
    await stage.push({ 'other.js': 'z\n' });
    await stage.review({ script: [says('Nothing new.')] });
    const pushed = await stage.push({ 'src/a.js': lines('export const i1 = 3;') });
    const model = new RoleModel([says('Mended.')], { refuter: () => refuter('refuted', 'src/a.js:2 tests it.') });
    await stage.review({ model });

    expect(stage.bodies[1]).toContain('Still open from earlier reviews:');
    expect(stage.bodies[2]).toContain(`Nothing tests the end (src/a.js:90) by ${pushed}`);
    expect(stage.bodies[2]).not.toContain('Still open');
  });

  it('R6 E10 what is fixed is resolved with the commit that fixed it, what is left stays, what a person resolved stays theirs', async () => {
    await stage.openPull({
      'src/a.js': lines('export const a1 = 1 / 0;', 'export const b1 = 2 / 0;', 'export const c1 = 3 / 0;'),
    });
    const found = [at(31, 'First of all'), at(32, 'Second thing'), at(33, 'Third matter')];
    await stage.review({ script: [report(...found), says('Three defects.')] });
    const [first, second, third] = stage.threads;
    third!.resolvedBy = stage.bench.github.state.account('maria');

    const fixing = await stage.push({
      'src/a.js': lines('export const a1 = 1;', 'export const b1 = 2 / 0;', 'export const c1 = 3 / 0;'),
    });
    await stage.push({ 'other.js': 'y\n' });
    await stage.review({ script: [says('One is mended.')] });

    expect(first!.resolvedBy?.login).toBe('dsh[bot]');
    expect(first!.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining('First of all'),
      `Fixed by ${fixing}.`,
    ]);
    expect(second!.resolvedBy).toBeNull();
    expect(third!.resolvedBy?.login).toBe('maria');
    expect(third!.comments).toHaveLength(1);
    expect(stage.bodies[1]).toContain(`First of all (src/a.js:31) by ${fixing}`);
    expect(stage.bodies[1]).toContain('Still open from earlier reviews:\n\n- major: Second thing');
    expect(stage.bodies[1]).not.toContain('- major: Third matter');
  });

  it('R6 PR43 what a person dismissed is told to the model, and not told again by us', async () => {
    await stage.openPull({ 'src/a.js': lines('export const d1 = 4 / 0;') });
    await stage.review({ script: [report(at(31, 'It is infinite')), says('One defect.')] });
    stage.threads[0]!.resolvedBy = stage.bench.github.state.account('maria');
    await stage.push({ 'src/a.js': `// moved\n${lines('export const d1 = 4 / 0;')}` });

    const { roles } = await stage.review({ script: [report(at(32, 'It is infinite')), says('Nothing new.')] });

    expect(textOf(roles.byRole.reviewer[0]!)).toContain('[a person dismissed it] src/a.js:31 major: It is infinite');
    expect(stage.threads).toHaveLength(1);
    expect(stage.bodies[1]).not.toContain('| major |');
    expect(stage.threads[0]!.resolvedBy?.login).toBe('maria');
  });

  it('R6 a finding told at code that was changed and not mended goes on in its thread', async () => {
    await stage.openPull({ 'src/a.js': lines('export const e1 = 5 / 0;') });
    await stage.review({ script: [report(at(31, 'The division has no guard')), says('One defect.')] });
    await stage.push({ 'src/a.js': lines('export const renamed = 5 / 0;') });
    await stage.review({ script: [report(at(31, 'The division still has no guard')), says('Still there.')] });
    await stage.push({ 'src/a.js': lines('export const renamed = 5;') });
    await stage.review({ script: [says('Mended.')] });

    expect(stage.threads).toHaveLength(1);
    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
    expect(stage.bodies[1]).not.toContain('Fixed');
  });

  it('R6 a defect that comes back after it was fixed is told again', async () => {
    await stage.openPull({ 'src/a.js': lines('export const f1 = 6 / 0;') });
    await stage.review({ script: [report(at(31, 'Infinite once more')), says('One defect.')] });
    await stage.push({ 'src/a.js': lines('export const f1 = 6;') });
    await stage.review({ script: [says('Mended.')] });
    await stage.push({ 'src/a.js': lines('export const f1 = 6 / 0;') });
    await stage.review({ script: [report(at(31, 'Infinite once more')), says('Back.')] });

    expect(stage.threads.map(({ resolvedBy }) => resolvedBy?.login)).toEqual(['dsh[bot]', undefined]);

    await stage.push({ 'src/a.js': lines('export const f1 = 7;') });
    await stage.review({ script: [says('Mended once more.')] });

    expect(stage.threads.map(({ resolvedBy }) => resolvedBy?.login)).toEqual(['dsh[bot]', 'dsh[bot]']);
  });

  it('R6 two findings at the same code are two, by their titles, also on the next push', async () => {
    await stage.openPull({ 'src/a.js': lines('export const g1 = h(7 / 0);') });
    const both = [at(31, 'It is infinite here'), at(31, 'The call has no error path')];
    await stage.review({ script: [report(...both), says('Two defects.')] });
    await stage.push({ 'src/a.js': `\n${lines('export const g1 = h(7 / 0);')}` });
    const again = [
      at(32, 'The call has no error path'),
      at(32, 'It is infinite here'),
      at(32, 'It is also slow: 10 s'),
    ];
    await stage.review({ script: [report(...again), says('Three defects.')] });

    expect(stage.threads).toHaveLength(3);
  });

  it('R6 a re-review shows only the hunks that were pushed since, and all of them with --full', async () => {
    await stage.openPull({ 'src/a.js': lines('const first = 1;'), 'other.js': 'changed\n' });
    await stage.review({ script: [says('Fine.')] });
    await stage.push({ 'other.js': 'changed twice\n' });

    const part = await stage.review({ script: [says('Fine.')] });
    await stage.push({ 'other.js': 'changed three times\n' });
    const full = await stage.review({
      script: [says('Fine.')],
      read: (reading) =>
        ({ ...reading, command: { kind: 'command', name: 'review', flags: { full: true }, text: '' } }) as never,
    });

    const [shown, whole] = [part, full].map(({ roles }) => textOf(roles.byRole.reviewer[0]!));
    expect(shown).toContain('changed twice');
    expect(shown).toContain('Only what was pushed since the last review is shown');
    expect(shown).not.toContain('const first = 1;');
    expect(stage.bodies[1]).toMatch(/1 file\(s\) have not changed since the review of [0-9a-f]{10}/);
    expect(whole).toContain('const first = 1;');
  });

  it('R6 a head that was pushed over is said to be gone, and everything is read again', async () => {
    await stage.openPull({ 'src/a.js': lines('const v1 = 1;') });
    await stage.review({ script: [says('Fine.')] });
    const { github } = stage.bench;
    await github.push(NAME, {
      by: 'tom',
      branch: stage.branch,
      from: 'main',
      files: { 'src/a.js': lines('const v2 = 2;') },
    });

    const { roles } = await stage.review({ script: [says('Fine.')] });

    // The mirror still has the old commit, so what is new can be told all the same.
    expect(textOf(roles.byRole.reviewer[0]!)).toContain('const v2 = 2;');
  });

  it('R6 the findings stand in the log and in the review itself, from which another host reads them', async () => {
    await stage.openPull({ 'src/a.js': lines('export const k1 = 8 / 0; // <!-- --> "quoted"') });

    const { events } = await stage.review({ script: [report(at(31, 'A title with --> and <b> in it')), says('One.')] });

    const logged = events.find(({ type }) => type === 'review/ledger')?.data as { entries: unknown[] };
    expect(logged.entries).toMatchObject([
      { path: 'src/a.js', state: 'open', title: 'A title with --> and <b> in it' },
    ]);
    const body = stage.bodies[0]!;
    expect(body.slice(body.indexOf('<!-- dsh:ledger'))).toMatch(/^<!-- dsh:ledger [^<>]* -->$/);
  });

  it('R6 a fixed finding of a renamed file is followed under its new name', async () => {
    const text = `${Array.from({ length: 20 }, (_, n) => `row ${n}`).join('\n')}\nconst bad = 1 / 0;\n`;
    await stage.openPull({ 'src/old.js': text });
    await stage.review({
      script: [
        report(finding({ path: 'src/old.js', startLine: 21, endLine: 21, title: 'Infinite', proof: 'src/old.js:21' })),
        says('One.'),
      ],
    });
    await stage.push({ 'src/old.js': null, 'src/new.js': text });
    await stage.review({ script: [says('Renamed.')] });

    // Added by the pull request itself, so GitHub tells of no rename: the old file and its code are gone.
    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
  });
});

describe('bot-review', () => {
  it('R12 a finding on a file that a push changes meanwhile lands on no line, the others on theirs, at the reviewed commit', async () => {
    const reviewed = await stage.openPull({
      'src/a.js': lines('export const m1 = 1 / 0;'),
      'src/price.js': 'export const price = -1;\n',
    });
    let pushed = '';
    const { outcome } = await stage.review({
      script: [
        report(at(31, 'On the file that moves'), finding()),
        {
          ...says('Two defects.'),
          before: async () => (pushed = await stage.push({ 'src/a.js': `// new\n${lines('export const m1 = 1;')}` })),
        },
      ],
    });

    expect(stage.pull.reviews[0]).toMatchObject({ commitId: reviewed });
    expect(stage.threads.map(({ path }) => path)).toEqual(['src/price.js']);
    expect(stage.bodies[0]).toContain(
      '**major: On the file that moves** (src/a.js:31; a push has changed this file since)',
    );
    expect(stage.bodies[0]).toContain(`The head moved to ${pushed.slice(0, 10)} while this was reviewed.`);
    expect(outcome.produced).toMatchObject({ kind: 'review', newerHead: pushed });
  });

  it('R12 what fell on a moved file is told on its line by the next review', async () => {
    const { outcome } = await stage.review({ script: [says('x')] });
    expect(outcome.status).toBe('completed');
    await stage.push({ 'src/a.js': lines('export const m1 = 1 / 0;') });
    await stage.review({ script: [report(at(31, 'On the file that moves')), says('One.')] });

    expect(stage.threads.map(({ path }) => path)).toEqual(['src/price.js', 'src/a.js']);
  });
});

describe('bot-review', () => {
  it('R1 paths in the command narrow the review to them', async () => {
    await stage.openPull({ 'src/a.js': lines('const n1 = 1;'), 'other.js': 'changed\n' });
    const read = (text: string) => (reading: object) =>
      ({ ...reading, command: { kind: 'command', name: 'review', flags: {}, text } }) as never;

    const { roles } = await stage.review({ script: [says('Fine.')], read: read('src/') });

    const shown = textOf(roles.byRole.reviewer[0]!);
    expect(shown).toContain('const n1 = 1;');
    expect(shown).not.toContain('=== other.js');
    expect(stage.bodies[0]).toContain('Only src/ was asked for: 1 of 2 changed files.');
  });

  it('R1 what the base calls generated is left out and named; the pull request itself cannot take anything out', async () => {
    const own = await ReviewStage.start({
      '.gitattributes': 'gen/** linguist-generated\nkept.js -linguist-generated\n',
      'kept.js': 'a\n',
    });
    await own.openPull({
      'gen/a.js': 'GENERATED\n',
      'kept.js': 'b\n',
      'sub/.gitattributes': '* linguist-generated\n',
      'sub/x.js': 'WRITTEN\n',
    });

    const { roles } = await own.review({ script: [says('Fine.')] });

    const shown = textOf(roles.byRole.reviewer[0]!);
    expect(shown).not.toContain('GENERATED');
    expect(shown).toContain('WRITTEN');
    expect(own.bodies[0]).toContain('gen/a.js was left out: it is generated or vendored.');
    await own.bench.close();
  });

  it('R1 locks, minified and vendored files are left out by default', async () => {
    await stage.openPull({
      'package-lock.json': '{"LOCK": 1}\n',
      'web/app.min.js': 'MIN\n',
      'vendor/x.js': 'VENDORED\n',
      'other.js': 'z\n',
    });

    const { roles } = await stage.review({ script: [says('Fine.')] });

    expect(textOf(roles.byRole.reviewer[0]!)).not.toMatch(/LOCK|MIN|VENDORED/);
    for (const path of ['package-lock.json', 'web/app.min.js', 'vendor/x.js'])
      expect(stage.bodies[0]).toContain(`${path} was left out by configuration.`);
  });
});

void calls;
