import { describe, expect, it } from '@jest/globals';
import { DshError } from '../../../src/errors.ts';
import { HarnessError } from '../../../src/harness/llm/errors.ts';
import type { Records } from '../../../src/store/records.ts';
import { says } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { RecordingSurface } from '../support/recording-surface.ts';
import { useJobBench } from '../support/use-job-bench.ts';

describe('persistence', () => {
  const bench = useJobBench();

  /** The job itself meets the failure; what comes before it does not. */
  const failing = (error: Error): Records => {
    let calls = 0;
    const { requests } = bench.records;
    const openOf: typeof requests.openOf = async (session) => {
      calls += 1;
      if (calls === 2) throw error;
      return requests.openOf(session);
    };
    return { ...bench.records, requests: { ...requests, openOf } };
  };

  it.each([
    ['the store is away', new DshError('away', 'DATABASE_UNAVAILABLE', 'Start it.')],
    ['another worker took the lease, and nobody has noticed', new HarnessError('late', 'STALE_LEASE')],
  ])('B2 where %s, nothing is told as failed: the work is left to whoever takes it up', async (_why, error) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Why?', body: '…' });
    const surface = new RecordingSurface();
    const ask = { job: 'ask', subject: { kind: 'issue', number }, script: [says('So.')], surface } as const;

    await expect(bench.run({ ...ask, records: failing(error) })).rejects.toMatchObject({ code: 'HANDED_BACK' });
    expect(surface.ending).toBeUndefined();

    expect((await bench.run(ask)).outcome.status).toBe('completed');
  });
});
