import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../support/scripted-model.ts';
import { JobBench, NAME } from './support/job-bench.ts';
import type { JobCall } from './support/job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'price.js:1',
  verification: [],
  notes: [] as string[],
};

/** Repositories and people that get in the way of a fix. */
describe('bot-fix', () => {
  let bench: JobBench;
  let count = 1;
  beforeAll(async () => {
    bench = await JobBench.start({ 'price.js': 'price = 1;\n' });
  });
  afterAll(() => bench.close());

  const repository = () => bench.github.state.repositories[0]!;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: repository().gitDir, encoding: 'utf8' }).trimEnd();
  const branches = () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads/').split('\n');
  const submits = (before: () => unknown, result: object = {}) => ({
    ...calls('submit_result', { ...RESULT, ...result }),
    before,
  });
  const mend = () => bench.change('price.js', `price = ${(count += 1)};\n`);
  const fix = (number: number, call: Pick<JobCall, 'script'> & Partial<JobCall>) =>
    bench.run({ job: 'fix', subject: { kind: 'issue', number }, ...call });
  const issue = async (title = 'The price is wrong') =>
    (await bench.github.openIssue(NAME, { by: 'tom', title })).number;
  const pullOf = ({ outcome }: Awaited<ReturnType<typeof fix>>) =>
    outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }>;

  it('twice: notes and draft', async () => {
    const number = await issue();
    const first = await fix(number, { script: [submits(mend)] });
    const second = await fix(number, {
      script: [submits(() => bench.change('second.js', 'x\n'), { outcome: 'partial', title: 'Second', notes: ['mind the gap'] })],
    });
    console.log(JSON.stringify([first.outcome, second.outcome], null, 1), second.surface.body, repository().issues.get(pullOf(second).number)!.body, (repository().issues.get(pullOf(second).number)!.pull as any).draft);
  });

  it.each([['merged'], ['closed']])('own %s meanwhile', async (how) => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend)] }));
    const act = () => how === 'merged' ? bench.github.mergePull(NAME, first.number, { by: 'maria' }) : bench.github.editIssue(NAME, first.number, { by: 'maria', state: 'closed' });
    const second = await fix(number, { script: [submits(async () => { bench.change(`own-${how}.js`, 'x\n'); await act(); })] });
    console.log(how, JSON.stringify(second.outcome, null, 1), second.surface.body, branches());
    const third = await fix(number, { script: [submits(() => { bench.change(`after-${how}.js`, 'x\n'); })] });
    console.log(how, JSON.stringify(third.outcome, null, 1));
  });

  it('dsh branch', async () => {
    await bench.github.push(NAME, { by: 'maria', branch: 'trunk2', files: { 'x': 'x' }, from: 'main' });
    const number = await issue();
    for (const b of branches().filter((x) => x.startsWith('dsh/'))) git('update-ref', '-d', `refs/heads/${b}`);
    await bench.github.push(NAME, { by: 'maria', branch: 'dsh', files: { 'y': 'x' }, from: 'main' });
    const run = await fix(number, { script: [submits(mend)] });
    console.log(JSON.stringify(run.outcome, null, 1), run.surface.body);
    await bench.github.deleteBranch(NAME, 'dsh', { by: 'maria' });
  });

  it('dsh branch below', async () => {
    const number = await issue();
    await bench.github.push(NAME, { by: 'maria', branch: `dsh/issue-${number}-mend-the-price/more`, files: { 'y': 'x' }, from: 'main' });
    const run = await fix(number, { script: [submits(mend)] });
    console.log(JSON.stringify(run.outcome, null, 1), run.surface.body);
  });

  it('markers', async () => {
    const number = await issue();
    const run = await fix(number, { script: [submits(() => bench.change('price.js', '<<<<<<< a\nprice = 1\n=======\nprice = 2\n>>>>>>> b\n')), calls('submit_result', RESULT)] });
    console.log(JSON.stringify(run.outcome, null, 1), run.surface.body);
  });

  it('title', async () => {
    const number = await issue('\u202eevil\u2066 😀'.repeat(30) + ' \u0000x\u0007');
    const run = await fix(number, { script: [{ ...says('done'), before: mend }] });
    console.log(JSON.stringify(run.outcome, null, 1), JSON.stringify(repository().issues.get(pullOf(run).number)!.title));
    console.log(JSON.stringify(git('log', '-1', '--format=%B', pullOf(run).branch)));
  });

  it('base deleted', async () => {
    await bench.github.push(NAME, { by: 'maria', branch: 'next', files: { 'x': 'x' }, from: 'main' });
    const number = await issue();
    const run = await fix(number, { config: { pull: { base: 'next' } } as never, script: [submits(async () => { mend(); await bench.github.deleteBranch(NAME, 'next', { by: 'maria' }); })] });
    console.log(JSON.stringify(run.outcome, null, 1), run.surface.body, branches());
    const again = await fix(number, { config: { pull: { base: 'next' } } as never, script: [submits(async () => { mend(); })] });
    console.log(JSON.stringify(again.outcome, null, 1));
  });
});
