import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';

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

  const stateOf = (number: number) => repository().issues.get(number)!;

  it('U4 F3 a second commit on our pull request tells its notes, and what the pull request is, not what it might be', async () => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend)] }));
    const partial = { outcome: 'partial', title: 'Second', notes: ['mind the gap'] };

    const second = await fix(number, { script: [submits(() => bench.change('second.js', 'x\n'), partial)] });

    expect(stateOf(first.number).pull!.draft).toBe(false);
    expect(pullOf(second)).toMatchObject({ number: first.number, draft: false, title: 'Mend the price' });
    expect(second.surface.body).toContain('mind the gap');
    expect(second.surface.body).toContain('is not a draft: look at it before you merge');
  });

  it('U4 a second commit renews what is ours of the text, and leaves what a person wrote', async () => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend, { outcome: 'partial', title: 'A try' })] }));
    const { body } = stateOf(first.number);
    await bench.github.editIssue(NAME, first.number, { by: 'maria', body: `${body}\n\nReviewed by Maria.` });

    const second = await fix(number, {
      script: [submits(() => bench.change('tax.js', 'x\n'), { summary: 'And tax.' })],
    });

    expect(pullOf(second)).toMatchObject({ number: first.number, title: 'Mend the price' });
    const renewed = stateOf(first.number);
    expect(renewed.title).toBe('Mend the price');
    expect(renewed.body).toMatch(/The price is 2\.[\s\S]*And tax\.[\s\S]*Fixes #[\s\S]*Reviewed by Maria\./);
  });

  it('U2 U4 a pull request whose text somebody wrote anew is ours still, and that text stays', async () => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend)] }));
    await bench.github.editIssue(NAME, first.number, { by: 'maria', body: 'In my own words.' });

    const second = await fix(number, { script: [submits(() => bench.change('anew.js', 'x\n'))] });

    expect(pullOf(second).number).toBe(first.number);
    expect(stateOf(first.number).body).toBe('In my own words.');
    expect(git('show', `${first.branch}:anew.js`)).toBe('x');
  });

  it('U4 a text that GitHub does not let us renew takes nothing from the commit', async () => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend)] }));
    bench.github.faults.inject({ match: { method: 'PATCH', path: /\/pulls\/\d+$/ }, status: 422, times: 1 });

    const second = await fix(number, { script: [submits(() => bench.change('refused.js', 'x\n'))] });
    bench.github.faults.clear();

    expect(second.outcome).toMatchObject({ status: 'completed', produced: { number: first.number } });
    expect(git('show', `${first.branch}:refused.js`)).toBe('x');
  });

  it('U4 a draft of ours that was mended is told to be a draft still', async () => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend, { outcome: 'partial' })] }));

    const second = await fix(number, { script: [submits(() => bench.change('rest.js', 'x\n'))] });

    expect(stateOf(first.number).pull!.draft).toBe(true);
    expect(pullOf(second)).toMatchObject({ number: first.number, draft: true });
    expect(second.surface.body).toContain('is still a draft');
  });

  it.each([
    ['merged', (number: number) => bench.github.mergePull(NAME, number, { by: 'maria' })],
    ['closed', (number: number) => bench.github.editIssue(NAME, number, { by: 'maria', state: 'closed' })],
  ])('U3 our own pull request that was %s meanwhile takes no commit: the work is one of its own', async (how, act) => {
    const number = await issue();
    const first = pullOf(await fix(number, { script: [submits(mend)] }));
    const head = git('rev-parse', first.branch);

    const run = await fix(number, {
      script: [submits(async () => (bench.change(`${how}.js`, 'x\n'), await act(first.number)))],
    });

    const pull = pullOf(run);
    expect(git('rev-parse', first.branch)).toBe(head);
    expect(pull.number).not.toBe(first.number);
    expect(stateOf(pull.number)).toMatchObject({ state: 'open', body: expect.stringContaining(`was ${how} while`) });
    expect(git('rev-parse', `${pull.branch}~1`)).toBe(git('rev-parse', 'main'));
    expect(git('show', `${pull.branch}:price.js`)).toBe(git('show', `${head}:price.js`));
    expect(git('show', `${pull.branch}:${how}.js`)).toBe('x');
  });

  it('U2 a branch named as our prefix leaves no room, and that is said, with the work kept', async () => {
    const ours = branches().filter((name) => name.startsWith('dsh/'));
    for (const branch of ours) await bench.github.deleteBranch(NAME, branch, { by: 'maria' });
    await bench.github.push(NAME, { by: 'maria', branch: 'dsh', files: { y: 'x' }, from: 'main' });

    const { outcome } = await fix(await issue(), { script: [submits(mend)] });

    await bench.github.deleteBranch(NAME, 'dsh', { by: 'maria' });
    expect(outcome).toMatchObject({ status: 'failed', kept: { kind: 'snapshot' } });
    expect(outcome.problem).toMatchObject({
      code: 'BRANCH_IN_THE_WAY',
      hint: expect.stringContaining('Rename `dsh`, or set `branch.prefix`'),
    });
  });

  it('U2 a branch below our name makes it taken', async () => {
    const number = await issue();
    const name = `dsh/issue-${number}-mend-the-price`;
    await bench.github.push(NAME, { by: 'maria', branch: `${name}/more`, files: { y: 'x' }, from: 'main' });

    const run = await fix(number, { script: [submits(mend)] });

    expect(pullOf(run).branch).toBe(`${name}-2`);
  });

  const MARKED = '<<<<<<< a\nprice = 1\n=======\nprice = 2\n>>>>>>> b\n';

  it('U3 conflict markers go back to the model once, then make a draft that claims nothing', async () => {
    const number = await issue();

    const run = await fix(number, {
      script: [submits(() => bench.change('price.js', MARKED)), calls('submit_result', RESULT)],
    });

    expect(run.model.requests).toHaveLength(2);
    expect(JSON.stringify(run.model.requests[1]!.messages)).toContain('Conflict markers stand in price.js');
    const { pull, body } = stateOf(pullOf(run).number);
    expect(pull!.draft).toBe(true);
    expect(body).toContain('Conflict markers were left in price.js');
    expect(body).not.toContain(`Fixes #${number}`);
  });

  it('U3 markers that the file held before are no conflict', async () => {
    await bench.github.push(NAME, { by: 'maria', branch: 'main', files: { 'fixture.txt': MARKED } });

    const run = await fix(await issue(), { script: [submits(() => bench.change('fixture.txt', `${MARKED}more\n`))] });

    expect(run.model.requests).toHaveLength(1);
    expect(pullOf(run).draft).toBe(false);
  });

  it('U4 a title that is too long, of emoji and of signs that turn the text becomes one harmless line', async () => {
    const number = await issue('\u202eevil\u2066 \ud83d\ude00'.repeat(40));

    const run = await fix(number, { script: [{ ...says('done'), before: mend }, says('done'), says('done')] });

    const { title, pull } = stateOf(pullOf(run).number);
    expect(title).toMatch(/^(evil \ud83d\ude00)+.*…$/u);
    expect(title.length).toBeLessThanOrEqual(250);
    expect(git('log', '-1', '--format=%s', pull!.head.ref)).toBe(title);
  });

  it('U3 where the base was deleted meanwhile the work is saved on a branch, and that is said', async () => {
    await bench.github.push(NAME, { by: 'maria', branch: 'next', files: { x: 'x' }, from: 'main' });
    const remove = () => bench.github.deleteBranch(NAME, 'next', { by: 'maria' });

    const { outcome, surface } = await fix(await issue(), {
      config: { pull: { base: 'next' } },
      script: [submits(async () => (mend(), await remove()))],
    });

    const produced = outcome.produced as Extract<typeof outcome.produced, { kind: 'branch' }>;
    expect(produced.kind).toBe('branch');
    expect(git('show', `${produced.branch}:price.js`)).toBe(`price = ${count};`);
    expect(surface.body).toMatch(/next\S* was deleted while the work went on/);
  });
});
