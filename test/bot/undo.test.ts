import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { undoCommand } from '../../src/bot/commands/undo-command.ts';
import type { HumanCommand } from '../../src/bot/commands/human-command.ts';
import { LiveTurns } from '../../src/bot/live-turns.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import { calls } from '../support/scripted-model.ts';
import { JobBench, NAME } from './support/job-bench.ts';

const RESULT = { outcome: 'fixed', title: 'Mend it', summary: 'Done.', cause: '', verification: [], notes: [] };

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
  const undo = (issue: number, live = new LiveTurns()) =>
    undoCommand({
      intake: { session: SessionId(`gh-${repository().id}-${issue}-1`) },
      place: { access: bench.access(), config: { branch: { prefix: 'dsh/' } }, signal: new AbortController().signal },
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
});
