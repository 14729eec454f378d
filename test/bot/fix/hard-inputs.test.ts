import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const RESULT = { outcome: 'fixed', title: 'Mend', summary: 'Done.', cause: '', verification: [], notes: [] };
/** As in a container without a network: what is not there cannot be fetched. */
const OFFLINE = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_ALLOW_PROTOCOL: 'none' };

describe('cases', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n' });
  });
  afterAll(() => bench.close());

  const repository = () => bench.github.state.repositories[0]!;
  const issue = async () => (await bench.github.openIssue(NAME, { by: 'tom', title: 'Mend it' })).number;
  const submits = (before: () => unknown) => ({ ...calls('submit_result', RESULT), before });
  const fix = (number: number, before: () => unknown, kind: 'issue' | 'pull' = 'issue') =>
    bench.run({ job: 'fix', subject: { kind, number }, script: [submits(before)] });

  it('I7 C1 the head of a pull request, its base and all that lies between are there when the network is not', async () => {
    await bench.github.push(NAME, { by: 'maria', branch: 'topic', files: { 'b.txt': 'b\n' }, from: 'main' });
    const base = await bench.github.push(NAME, { by: 'maria', branch: 'main', files: { 'c.txt': 'c\n' } });
    const { number } = await bench.github.openPull(NAME, { by: 'maria', title: 'T', head: 'topic', base: 'main' });
    let seen = { diff: '', log: '', blob: '' };

    await fix(
      number,
      () => {
        const { gitDir, workTree } = bench.checkout!;
        const git = (...args: string[]) =>
          execFileSync('git', [`--git-dir=${gitDir}`, ...args], {
            cwd: workTree,
            encoding: 'utf8',
            env: OFFLINE,
          }).trim();
        seen = {
          diff: git('diff', '--name-only', `${base}...HEAD`),
          log: git('log', '--format=%s', 'HEAD'),
          blob: git('show', `${base}:c.txt`),
        };
        bench.change('b.txt', 'better\n');
      },
      'pull',
    );

    expect(seen.diff).toBe('b.txt');
    expect(seen.log.split('\n').length).toBeGreaterThan(1);
    expect(seen.blob).toBe('c');
  });

  it.each([
    ['archived', () => (repository().archived = true), () => (repository().archived = false)],
    ['disabled', () => (repository().disabled = true), () => (repository().disabled = false)],
    ['deleted, or taken from us', () => (repository().private = true), () => (repository().private = false)],
  ])('I10 a repository that is %s while the work goes on: said, and the work is kept', async (how, act, undo) => {
    const number = await issue();
    const isGone = how.startsWith('deleted');
    const [installation] = bench.github.state.installations;
    const run = fix(number, () => {
      bench.change('a.txt', `${how}\n`);
      act();
      if (isGone) bench.github.state.tokens.clear();
    });

    const { outcome } = await run.finally(undo);

    expect(installation).toBeDefined();
    expect(outcome).toMatchObject({ status: 'failed', produced: { kind: 'nothing' }, kept: { kind: 'snapshot' } });
    expect(outcome.problem?.code).toMatch(/^(GITHUB_|REPOSITORY_)/);
    expect(outcome.problem?.hint).toBeTruthy();
  });

  it('J1 K4 a fixed token that dies before the push: the changes are given as a patch, and it is said why', async () => {
    const number = await issue();
    const token = bench.github.createToken({ installation: 'acme' });

    const { outcome } = await bench.run({
      ...{ job: 'fix', subject: { kind: 'issue', number }, forgetful: true, auth: token },
      script: [submits(() => (bench.change('a.txt', 'late\n'), bench.github.state.tokens.delete(token)))],
    });

    expect(outcome).toMatchObject({
      ...{ status: 'failed', produced: { kind: 'nothing' } },
      problem: { code: 'GITHUB_UNAUTHORIZED', hint: expect.stringContaining('GITHUB_TOKEN') },
      kept: { kind: 'patch', diff: expect.stringContaining('+late') },
    });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it('U1 a file that GitHub finds too large is named, nothing is published, and the work is kept', async () => {
    const number = await issue();
    const body = { message: 'Sorry, your input was too large to process.' };
    bench.github.faults.inject({ match: { method: 'POST', path: /\/git\/blobs$/ }, status: 422, body });

    const { outcome } = await fix(number, () => bench.change('big.bin', '\0big'));
    bench.github.faults.clear();

    expect(outcome).toMatchObject({
      ...{ status: 'failed', produced: { kind: 'nothing' }, kept: { kind: 'snapshot' } },
      problem: { code: 'FILE_REFUSED', message: expect.stringContaining('`big.bin`') },
    });
    expect(await bench.hasBranch(`dsh/issue-${number}-mend`)).toBe(false);
  });

  it('I10 a repository that is renamed while the work goes on gets its pull request all the same', async () => {
    const number = await issue();
    try {
      const { outcome } = await fix(number, () => {
        bench.change('a.txt', 'renamed\n');
        bench.github.renameRepository(NAME, 'store');
      });

      expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request' } });
    } finally {
      bench.github.renameRepository('acme/store', 'shop');
    }
  });
});
