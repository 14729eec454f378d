import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../../../../src/demo/github/records.ts';
import { calls } from '../../../support/scripted-model.ts';
import { JobBench, NAME } from '../../support/job-bench.ts';
import type { JobCall } from '../../support/job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};

/** Sixty lines, some of which somebody marked. */
function marked(mark: string, at: readonly number[]): string {
  const lines = Array.from({ length: 60 }, (_, nth) => `line ${nth + 1}${at.includes(nth + 1) ? ` ${mark}` : ''}`);
  return `${lines.join('\n')}\n`;
}

/** `/dsh fix` on pull requests of forks. */
describe('bot-fix', () => {
  let bench: JobBench;
  let fork: Repository;
  beforeAll(async () => {
    bench = await JobBench.start({ 'src/price.js': 'a\nb\nc\n', 'long.txt': marked('', []) });
    fork = await bench.github.addFork(NAME, 'tom');
  });
  afterAll(() => bench.close());

  const branchesOf = ({ gitDir }: Repository) =>
    execFileSync('git', ['for-each-ref', '--format=%(refname:short)', 'refs/heads/'], { cwd: gitDir, encoding: 'utf8' })
      .trim()
      .split('\n');
  const base = () => bench.github.state.repositories[0]!;

  let count = 0;
  const PRICE = { 'src/price.js': 'a\nB\nc\n' };
  const fix = async (
    path: string,
    text: string,
    call: Partial<JobCall> = {},
    files: Record<string, string> = PRICE,
  ) => {
    const branch = `topic-${(count += 1)}`;
    const head = await bench.github.push(fork, {
      by: 'tom',
      branch,
      files,
      from: 'main',
    });
    const { number } = await bench.github.openPull(NAME, {
      by: 'tom',
      title: 'Topic',
      head: `tom:${branch}`,
      base: 'main',
    });
    const script = [{ ...calls('submit_result', RESULT), before: () => bench.change(path, text) }];
    const run = await bench.run({ job: 'fix', subject: { kind: 'pull', number }, script, ...call });
    return { branch, head, number, pull: base().issues.get(number)!.pull!, ...run };
  };

  it("U5 a change inside the diff of a fork's pull request becomes suggestions, in one review", async () => {
    const { outcome, pull, surface } = await fix('src/price.js', 'a\nbetter\nc\n');

    expect(outcome.produced).toMatchObject({ kind: 'suggestions', count: 1 });
    expect(pull.reviews).toHaveLength(1);
    const [thread] = pull.threads;
    expect(thread).toMatchObject({ path: 'src/price.js', current: { line: 2 } });
    expect(thread!.comments[0]!.body).toBe('```suggestion\nbetter\n```');
    expect(surface.body).toContain('takes no push of ours');
    expect(branchesOf(base())).toEqual(['main']);
  });

  it('U5 a change of three hunks is three suggestions where all fit, else one patch of all that applies', async () => {
    const theirs = { 'long.txt': marked('theirs', [5, 30, 55]) };

    const fits = await fix('long.txt', marked('ours', [5, 30, 55]), {}, theirs);
    const reaches = await fix('long.txt', marked('ours', [5, 20, 55]), {}, theirs);

    expect(fits.outcome.produced).toMatchObject({ kind: 'suggestions', count: 3 });
    expect(fits.pull.reviews).toHaveLength(1);
    expect(fits.pull.threads.map(({ current }) => current?.line)).toEqual([5, 30, 55]);
    const { diff } = reaches.outcome.produced as Extract<typeof reaches.outcome.produced, { kind: 'patch' }>;
    expect(reaches.pull.reviews).toHaveLength(0);
    expect(diff.match(/^@@/gm)).toHaveLength(4);
    const folder = mkdtempSync(join(tmpdir(), 'dsh-patch-'));
    const git = (args: string[], input?: string) => execFileSync('git', args, { cwd: folder, input });
    git(['clone', '--quiet', '--branch', reaches.branch, fork.gitDir, '.']);
    git(['apply', '-'], diff);
    expect(readFileSync(join(folder, 'long.txt'), 'utf8')).toBe(marked('ours', [5, 20, 55]));
    rmSync(folder, { recursive: true });
    expect(branchesOf(base())).toEqual(['main']);
  });

  it('U5 a change outside the diff becomes a patch', async () => {
    const { outcome, pull } = await fix('other.txt', 'new\n');

    expect(outcome.produced).toMatchObject({ kind: 'patch', diff: expect.stringContaining('+new') });
    expect(pull.reviews).toHaveLength(0);
    expect(branchesOf(base())).toEqual(['main']);
  });

  it('U5 a fork that lets us push gets the commit on its own branch', async () => {
    bench.github.addCollaborator(fork, 'maria', 'write');

    const { outcome, branch, head } = await fix('other.txt', 'new\n', { by: 'maria' });

    expect(outcome.produced).toMatchObject({ kind: 'commit', branch });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: fork.gitDir, encoding: 'utf8' }).trim();
    expect(git('rev-parse', `${branch}~1`)).toBe(head);
    expect(git('show', `${branch}:other.txt`)).toBe('new');
    expect(branchesOf(base())).toEqual(['main']);
  });
});
