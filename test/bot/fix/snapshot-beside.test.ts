import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { calls, says } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const ECHO = { command: 'echo', description: 'Nothing' };

describe('bot-hosts', () => {
  const bench = useJobBench({ 'price.js': 'one\n' });
  afterEach(() => void jest.restoreAllMocks());

  /** A turn of three steps with so many milliseconds between them. */
  const snapshotsIn = async (gapMs: number) => {
    const { now } = performance;
    let later = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later);
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Wrong', body: '' });
    const step = (text: string) => ({
      ...calls('bash', { ...ECHO, command: `echo ${text}` }),
      before: async () => {
        // What the step before left is read meanwhile.
        await sleep(500);
        later += gapMs;
        bench.change('price.js', `${text}\n`);
      },
    });
    const commands = { 'echo two': {}, 'echo three': {}, 'npm test': {} };
    const script = [step('two'), step('three'), says('It is done.')];
    const { events } = await bench.run({ job: 'fix', subject: { kind: 'issue', number }, commands, script });
    return events.flatMap(({ type, data }) => (type === 'workspace/snapshot' ? [data] : []));
  };

  it('H2 the work tree is kept beside the turn, between steps, and the log says what was kept', async () => {
    const snapshots = await snapshotsIn(31_000);

    expect(snapshots.length).toBeGreaterThanOrEqual(1);
    expect(snapshots[0]).toMatchObject({ turn: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('H2 it is not kept more often than every 30 seconds', async () => {
    expect(await snapshotsIn(100)).toEqual([]);
  });
});
