import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { undoCommand } from '../../../src/bot/commands/undo-command.ts';
import type { HumanCommand } from '../../../src/bot/commands/human-command.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { calls } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const RESULT = { outcome: 'fixed', title: 'Mend it', summary: 'Done.', cause: '', verification: [], notes: [] };

interface AfterHook {
  after(name: 'request', hear: (response: unknown, options: { method: string; url: string }) => Promise<void>): void;
}

type Told = { method: string };
interface DyingHook {
  before(name: 'request', hear: (options: Told) => void): void;
  after(name: 'request', hear: (response: unknown, options: Told) => void): void;
}

describe('bot-fix', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n' });
  });
  afterAll(() => bench.close());

  const repository = () => bench.github.state.repositories[0]!;
  const published = async () => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Mend it' });
    const script = [{ ...calls('submit_result', RESULT), before: () => bench.change('a.txt', `${number}\n`) }];
    const { outcome } = await bench.run({ job: 'fix', subject: { kind: 'issue', number }, script });
    return { number, pull: outcome.produced as Extract<typeof outcome.produced, { kind: 'pull-request' }> };
  };
  const undo = (issue: number, live = new LiveTurns(), access = bench.access(), createdAt = Date.now() + 60_000) =>
    undoCommand({
      intake: {
        session: SessionId(`gh-${repository().id}-${issue}-1`),
        reading: { command: { text: '' }, comment: { createdAt } },
      },
      place: { access, config: { language: 'en', branch: { prefix: 'dsh/' } }, signal: new AbortController().signal },
      services: { live },
    } as unknown as HumanCommand);
  const isOpen = (number: number) => repository().issues.get(number)!.state === 'open';

  it('U6 undo closes our pull request and deletes its branch', async () => {
    const { number, pull } = await published();

    const told = await undo(number);

    expect(told).toEqual({ kind: 'success', text: `Closed #${pull.number} and deleted \`${pull.branch}\`.` });
    expect(isOpen(pull.number)).toBe(false);
    expect(await bench.hasBranch(pull.branch)).toBe(false);
    expect(await undo(number)).toMatchObject({ kind: 'error' });
  });

  it('U6 undo takes back a pull request whose text somebody wrote anew', async () => {
    const { number, pull } = await published();
    await bench.github.editIssue(NAME, pull.number, { by: 'maria', body: 'In my own words.' });

    expect(await undo(number)).toMatchObject({ kind: 'success' });
    expect(isOpen(pull.number)).toBe(false);
    expect(await bench.hasBranch(pull.branch)).toBe(false);
  });

  it('U6 undo leaves a branch on which other people have worked', async () => {
    const { number, pull } = await published();
    await bench.github.push(NAME, { by: 'maria', branch: pull.branch, files: { 'hers.txt': 'x\n' } });

    const told = await undo(number);

    expect(told).toMatchObject({ kind: 'success', text: expect.stringContaining('holds commits of other people') });
    expect(isOpen(pull.number)).toBe(false);
    expect(await bench.hasBranch(pull.branch)).toBe(true);
  });

  it("U6 undo touches no pull request of somebody else's, whatever its text says", async () => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'x' });
    await bench.github.push(NAME, { by: 'maria', branch: `dsh/issue-${number}`, files: { 'a.txt': 'hers\n' } });
    const body = `<!-- dsh:session gh-${repository().id}-${number}-1 -->`;
    const hers = await bench.github.openPull(NAME, {
      by: 'maria',
      title: 'Mine',
      body,
      head: `dsh/issue-${number}`,
      base: 'main',
    });

    expect(await undo(number)).toMatchObject({ kind: 'error' });
    expect(isOpen(hers.number)).toBe(true);
  });

  it('U6 undo leaves a branch on which somebody amended our commit', async () => {
    const { number, pull } = await published();
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: repository().gitDir, encoding: 'utf8', env: { ...process.env, ...by } }).trim();
    const by: Record<string, string> = { GIT_COMMITTER_NAME: 'Maria', GIT_COMMITTER_EMAIL: 'maria@shop.example' };
    by.GIT_AUTHOR_NAME = git('log', '-1', '--format=%an', pull.branch);
    by.GIT_AUTHOR_EMAIL = git('log', '-1', '--format=%ae', pull.branch);
    const amended = git('commit-tree', `${pull.branch}^{tree}`, '-p', `${pull.branch}~1`, '-m', 'amended');
    git('update-ref', `refs/heads/${pull.branch}`, amended);

    expect(await undo(number)).toMatchObject({ text: expect.stringContaining('so it stays') });
    expect(await bench.hasBranch(pull.branch)).toBe(true);
  });

  it('U6 undo leaves a branch into which somebody else has an open pull request', async () => {
    const { number, pull } = await published();
    await bench.github.push(NAME, {
      by: 'maria',
      branch: `more-${number}`,
      from: pull.branch,
      files: { 'b.txt': 'b\n' },
    });
    const hers = await bench.github.openPull(NAME, {
      by: 'maria',
      title: 'On top',
      head: `more-${number}`,
      base: pull.branch,
    });

    expect(await undo(number)).toMatchObject({ text: expect.stringContaining('so it stays') });
    expect([await bench.hasBranch(pull.branch), isOpen(hers.number), isOpen(pull.number)]).toEqual([true, true, false]);
  });

  it.each([
    ['before it closed anything', 'before', 'PATCH'],
    ['after it had closed the pull request', 'after', 'PATCH'],
    ['before it deleted the branch', 'before', 'DELETE'],
    ['after it had deleted the branch', 'after', 'DELETE'],
  ])('U6 H2 undo that dies %s and runs again ends as one that was left alone', async (_, when, method) => {
    const { number, pull } = await published();
    const place = bench.access();
    const { hook } = place.github as unknown as { hook: DyingHook };
    let isAlive = true;
    const dieAt = (moment: string, options: { method: string }) => {
      if (moment === when && options.method === method) isAlive = false;
      if (!isAlive) throw new Error('killed');
    };
    hook.before('request', (options) => dieAt('before', options));
    hook.after('request', (_response, options) => dieAt('after', options));
    const askedAt = Date.now() - 60_000;

    await expect(async () => undo(number, new LiveTurns(), place, askedAt)).rejects.toThrow('killed');
    const told = await undo(number, new LiveTurns(), bench.access(), askedAt);

    expect(told).toEqual({ kind: 'success', text: `Closed #${pull.number} and deleted \`${pull.branch}\`.` });
    expect([isOpen(pull.number), await bench.hasBranch(pull.branch)]).toEqual([false, false]);
    expect(await undo(number)).toMatchObject({ kind: 'error' });
  });

  it('U6 undo takes up what an earlier one left, but touches no branch on which a person went on', async () => {
    const { number, pull } = await published();
    await bench.github.editIssue(NAME, pull.number, { by: 'maria', state: 'closed' });
    const head = await bench.github.push(NAME, { by: 'maria', branch: pull.branch, files: { 'hers.txt': 'x\n' } });

    expect(await undo(number)).toMatchObject({ kind: 'error' });
    expect(await bench.hasBranch(pull.branch)).toBe(true);
    execFileSync('git', ['update-ref', `refs/heads/${pull.branch}`, `${head}~1`], { cwd: repository().gitDir });
    expect(await undo(number)).toMatchObject({ kind: 'success', text: expect.stringContaining('was closed already') });
    expect(await bench.hasBranch(pull.branch)).toBe(false);
  });

  it('U6 undo leaves a merged pull request and its branch as they are', async () => {
    const { number, pull } = await published();
    await bench.github.mergePull(NAME, pull.number, { by: 'maria' });

    expect(await undo(number)).toMatchObject({ kind: 'error' });
    expect(await bench.hasBranch(pull.branch)).toBe(true);
  });

  it('U6 undo leaves a branch that somebody pushes to while it is undone', async () => {
    const { number, pull } = await published();
    const place = bench.access();
    const { hook } = place.github as unknown as { hook: AfterHook };
    hook.after('request', async (_response, options) => {
      if (options.method !== 'PATCH' || !options.url.includes('/pulls/')) return;
      await bench.github.push(NAME, { by: 'maria', branch: pull.branch, files: { 'late.txt': 'x\n' } });
    });

    expect(await undo(number, new LiveTurns(), place)).toMatchObject({ text: expect.stringContaining('so it stays') });
    expect(await bench.hasBranch(pull.branch)).toBe(true);
  });
});
