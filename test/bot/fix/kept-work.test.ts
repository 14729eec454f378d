import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import { calls, fails, hangs } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = {
  outcome: 'fixed',
  title: 'Mend the price',
  summary: 'The price is 2.',
  cause: 'src/price.js:1',
  verification: [],
  notes: [],
};
const KEY = 'p@ss_word*of#1this';

describe('bot-fix', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n', 'tax.js': 'a\nb\nc\n' });
  let number: number;

  const openIssue = async () => {
    ({ number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong', body: 'It is 1.' }));
  };
  const run = (call: Partial<JobCall> & Pick<JobCall, 'script'>) =>
    bench.run({ job: 'fix', subject: { kind: 'issue', number }, ...call });
  const writing = (path = 'src/price.js', text = 'export const price = 2;\n') => ({
    before: () => bench.change(path, text),
  });
  const session = () => SessionId(`gh-${bench.github.state.repositories[0]!.id}-${number}-1`);
  const kept = () => bench.records.snapshots.latest(session());
  const inTree = (path: string) => readFileSync(join(bench.checkout!.workTree, path), 'utf8');
  const looks = () => calls('bash', { command: 'git --version', description: 'look' });
  const STEPS = { budget: { turn: { steps: 1 } } };

  /** A turn that is stopped by its budget after it changed a file. */
  const stopped = async (path?: string, text?: string) => {
    await openIssue();
    return run({ script: [{ ...looks(), ...writing(path, text) }], config: STEPS });
  };

  it('U8 F5 C7 what a budget stopped is kept, named with the command, and on the tree of a retry', async () => {
    const { outcome, surface } = await stopped();
    expect(outcome).toMatchObject({ status: 'stopped', produced: { kind: 'nothing' }, kept: { kind: 'snapshot' } });
    expect(surface.body).toContain('`/dsh retry`');
    let found = '';

    const again = await run({
      command: 'retry',
      script: [{ ...calls('submit_result', RESULT), before: () => void (found = inTree('src/price.js')) }],
    });

    expect(found).toBe('export const price = 2;\n');
    expect(JSON.stringify(again.model.requests[0]!.messages)).toContain('uncommitted changes that the last turn');
    expect(again.outcome).toMatchObject({ produced: { kind: 'pull-request' } });
    expect(await kept()).toBeUndefined();
  });

  it.each([
    ['an error of the model', { script: [{ ...fails('AUTH'), ...writing() }] }],
    ['the clock', { script: [{ ...hangs(), ...writing() }], config: { budget: { turn: { minutes: 0.03 } } } }],
  ])('U8 what %s ended is kept', async (_, call) => {
    await openIssue();

    const { outcome } = await run(call);

    expect(outcome).toMatchObject({ produced: { kind: 'nothing' }, kept: { kind: 'snapshot' } });
    expect(await kept()).toMatchObject({ base: bench.checkout!.headSha });
  });

  it('U8 an interrupted turn keeps its changes', async () => {
    await openIssue();
    const stop = new AbortController();
    const script = [{ ...hangs(), before: () => (bench.change('src/price.js', 'x\n'), stop.abort()) }];

    const { outcome } = await run({ script, signal: stop.signal });

    expect(outcome).toMatchObject({ status: 'stopped', kept: { kind: 'snapshot' } });
  });

  it('U8 where nothing is kept between runs the result holds the changes as a patch, without our secrets', async () => {
    await openIssue();

    const { outcome, surface } = await run({
      script: [{ ...looks(), ...writing('src/price.js', `export const price = 2; // ${KEY}\n`) }],
      config: STEPS,
      forgetful: true,
      secrets: [KEY],
    });

    expect(outcome.kept).toMatchObject({ kind: 'patch', diff: expect.stringContaining('+export const price = 2;') });
    expect(surface.body).toContain('-export const price = 1;');
    expect(surface.body + JSON.stringify(outcome)).not.toContain(KEY);
    expect(await kept()).toBeUndefined();
  });

  it('U8 a turn that changed nothing keeps nothing', async () => {
    await openIssue();

    const { outcome, surface } = await run({ script: [looks()], config: STEPS });

    expect(outcome.kept).toBeUndefined();
    expect(surface.body).not.toContain('changes so far');
  });

  it('U8 changes over the limit are said to be lost', async () => {
    await openIssue();

    const { outcome, surface } = await run({
      script: [{ ...looks(), ...writing() }],
      config: { ...STEPS, park: { maxSnapshotBytes: 3 } },
    });

    expect(outcome.kept).toMatchObject({ kind: 'lost' });
    expect(surface.body).toContain('could not be kept');
  });

  it('C7 a fresh fix begins without what was kept, and drops it', async () => {
    await stopped();
    let found = '';

    await run({ script: [{ ...calls('submit_result', RESULT), before: () => void (found = inTree('src/price.js')) }] });

    expect(found).toBe('export const price = 1;\n');
    expect(await kept()).toBeUndefined();
  });

  it('C7 an answer leaves what was kept where it is', async () => {
    await stopped();

    await run({ job: 'ask', command: 'ask', script: [calls('read', { path: 'nothing' })], config: STEPS });

    expect(await kept()).toBeDefined();
  });

  it('C7 a retry starts from the new head with the kept changes merged into it, conflicts marked and named', async () => {
    await stopped('tax.js', 'A\nb\nc\n');
    await bench.github.push(NAME, { by: 'maria', branch: 'main', files: { 'tax.js': 'a\nb\nC\n' } });
    let found = '';
    const look = { ...looks(), before: () => void (found = inTree('tax.js')) };

    await run({ command: 'retry', script: [look], config: STEPS });
    expect(found).toBe('A\nb\nC\n');

    await bench.github.push(NAME, { by: 'maria', branch: 'main', files: { 'tax.js': 'theirs\nb\nC\n' } });
    const { model } = await run({ command: 'retry', script: [look], config: STEPS });
    expect(found).toMatch(/<<<<<<< [\s\S]*theirs\n=======\nA\n>>>>>>> /);
    expect(JSON.stringify(model.requests[0]!.messages)).toContain('these files do not merge: tax.js');
  });
});
