import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReviewComment, Thread } from '../../../src/demo/github/records.ts';
import { calls, callsAll, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { GIT_ENV, runGit, writeFiles } from '../../github/support/git-fixture.ts';
import { NAME } from '../support/job-bench.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter } from '../support/role-model.ts';

const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const at = (path: string, line: number, title: string) =>
  finding({ path, startLine: line, endLine: line, title, proof: `${path}:${line}` });
const confirming = (script: ScriptedReply[]) =>
  new RoleModel(script, { refuter: () => refuter('confirmed', 'src/a.js:1') });

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/a.js': 'export const a = 1;\n', 'src/b.js': 'export const b = 1;\n' });
});
afterAll(() => stage.bench.close());

describe('bot-review', () => {
  it('R6 a thread beyond the first page of GitHub’s is followed', async () => {
    await stage.openPull({ 'src/a.js': 'export const a = 1 / 0;\n' });
    await stage.review({ model: confirming([report(at('src/a.js', 1, 'Infinite')), says('One.')]) });
    const [ours] = stage.threads as [Thread];
    const [said] = ours.comments as [ReviewComment];
    const others = Array.from({ length: 100 }, (_, nth) => {
      const comment = { ...said, id: 50_000 + nth, body: 'Why?', author: stage.bench.github.state.account('tom') };
      return { ...ours, nodeId: `PRRT_${50_000 + nth}`, comments: [comment] };
    });
    stage.threads.unshift(...others);
    const pushed = await stage.push({ 'src/a.js': 'export const a = 1;\n' });
    await stage.review({ model: confirming([says('Mended.')]) });

    expect(ours.resolvedBy?.login).toBe('dsh[bot]');
    expect(ours.comments.map(({ body }) => body)).toContain(`Fixed by ${pushed}.`);
    expect(others.filter(({ resolvedBy }) => resolvedBy)).toEqual([]);
  });

  it('R6 a thread that a person deleted is a finding that is not told again', async () => {
    await stage.openPull({ 'src/a.js': 'export const a = 1 / 0;\n' });
    await stage.review({ model: confirming([report(at('src/a.js', 1, 'Infinite')), says('One.')]) });
    stage.threads.splice(0);
    await stage.push({ 'src/a.js': '// moved\nexport const a = 1 / 0;\n' });
    await stage.review({ model: confirming([report(at('src/a.js', 2, 'Infinite')), says('Same.')]) });

    expect(stage.threads).toEqual([]);
    expect(stage.bodies[1]).not.toMatch(/Infinite|Still open/);
  });

  it('R3 R12 where another base has taken lines out of the diff by the time the review is posted, nothing is lost', async () => {
    const first = await stage.openPull({ 'src/a.js': 'export const a = 3 / 0;\n' });
    await stage.push({ 'src/b.js': 'export const b = 3 / 0;\n' });
    await stage.bench.github.push(NAME, { by: 'tom', branch: 'release', from: first, files: { other: 'x\n' } });
    const { github } = stage.bench.access();
    const retarget = { owner: 'acme', repo: 'shop', pull_number: stage.number, base: 'release' };
    const last = { ...says('Two.'), before: () => github.rest.pulls.update(retarget) };
    const found = [at('src/a.js', 1, 'A is infinite'), at('src/b.js', 1, 'B is infinite')];

    const { outcome } = await stage.review({ model: confirming([report(...found), last]) });

    expect(outcome.status).toBe('completed');
    expect(stage.bodies).toHaveLength(1);
    expect(stage.bodies[0]).toContain('**major: A is infinite** (src/a.js:1)');
    expect(stage.threads.map(({ path }) => path)).toEqual(['src/b.js']);
  });

  it('C3 E8 the review of a pull request whose fork is gone stands on its lines, and is not made twice', async () => {
    const { github } = stage.bench;
    await github.addFork(NAME, 'eve');
    await github.push('eve/shop', { by: 'eve', branch: 'patch', files: { 'src/a.js': 'export const a = 4 / 0;\n' } });
    const fields = { by: 'eve', title: 'p', body: '', head: 'eve:patch', base: 'main' };
    ({ number: stage.number } = await github.openPull(NAME, fields));
    github.deleteRepository('eve/shop');

    const { outcome } = await stage.review({
      model: confirming([report(at('src/a.js', 1, 'Infinite')), says('One.')]),
    });

    expect(outcome.status).toBe('completed');
    expect(stage.threads.map(({ path, line }) => [path, line])).toEqual([['src/a.js', 1]]);
  });

  it('R6 D9 a head that was replaced by another history is read as far as it differs, and earlier findings are held against it', async () => {
    await stage.openPull({ 'src/a.js': 'export const a = 5 / 0;\n', 'src/b.js': 'export const b = 5 / 0;\n' });
    const found = [at('src/a.js', 1, 'A is infinite'), at('src/b.js', 1, 'B is infinite')];
    await stage.review({ model: confirming([report(...found), says('Two.')]) });
    const folder = mkdtempSync(join(tmpdir(), 'dsh-orphan-'));
    runGit(folder, 'init', '--quiet', '--initial-branch=other');
    writeFiles(folder, { 'src/a.js': 'export const a = 5 / 0;\n', 'new.js': 'x\n' });
    runGit(folder, 'add', '--all');
    runGit(folder, 'commit', '--quiet', '-m', 'another history');
    const url = new URL(`${stage.bench.github.url}/${NAME}.git`);
    Object.assign(url, { username: 'x-access-token', password: stage.bench.github.createToken('maria') });
    await promisify(execFile)('git', ['push', '--quiet', '--force', url.href, `HEAD:refs/heads/${stage.branch}`], {
      cwd: folder,
      env: GIT_ENV,
    });
    rmSync(folder, { recursive: true });

    const { outcome } = await stage.review({ model: confirming([says('Nothing new.')]) });

    expect(outcome.produced).toMatchObject({ reviewed: { stillOpen: [{ title: 'A is infinite' }] } });
    const { sha } = stage.pull.head;
    expect(stage.bodies[1]).toContain('1 file(s) have not changed since the review of');
    expect(stage.bodies[1]).toContain(`B is infinite (src/b.js:1) by ${sha}`);
    expect(stage.threads.map(({ path, resolvedBy }) => [path, resolvedBy?.login])).toEqual([
      ['src/a.js', undefined],
      ['src/b.js', 'dsh[bot]'],
    ]);
  });

  it('D12 R8 a pull request of thousands of files with a body of 65,000 characters is reviewed, in bounded texts', async () => {
    const paths = Array.from({ length: 2_900 }, (_, nth) => `many/f${nth}.js`);
    await stage.openPull(Object.fromEntries(paths.map((path) => [path, 'export const value = 1;\n'])));
    stage.bench.github.state.findRepository(NAME)!.issues.get(stage.number)!.body = 'x'.repeat(65_000);
    const nothing = calls('structured_output', { findings: [], summary: 'fine' });
    const model = new RoleModel([says('Many.'), says('Fine.')], { reader: () => nothing });

    const { outcome } = await stage.review({ model });

    expect(outcome.status).toBe('completed');
    expect(stage.bodies[0]).toContain('reader 2 read: many/');
    expect(stage.bodies[0]!.length).toBeLessThan(65_536);
    for (const { messages } of model.requests) expect(JSON.stringify(messages).length).toBeLessThan(350_000);
  });

  it('R8 a reader that finds no end has 60 steps, and its part is said to be unreviewed', async () => {
    const lines = Array.from({ length: 5_000 }, (_, nth) => `export const value${nth} = ${nth};`);
    await stage.openPull({ 'src/one.js': text(lines), 'src/two.js': text(lines) });
    const model = new RoleModel([says('Many.'), says('Fine.')], {
      reader: (_task, step) => calls('grep', { pattern: `value${step}` }),
    });

    await stage.review({ model });

    expect(model.byRole.reader).toHaveLength(60);
    expect(stage.bodies[0]).toContain('came to no end, so nobody reviewed: src/two.js.');
  });
});
