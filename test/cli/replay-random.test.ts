import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { outline } from '../harness/agent/check-log.ts';
import { Plan, Run } from '../harness/agent/random-run.ts';
import { exported, replayFile } from './support/logs.ts';

const isLong = process.env.DSH_LONG_TESTS === '1';

describe('session', () => {
  it(
    'S24 S29 whatever interleaving made a log, it proves its requests, and its turns send the same when they run again',
    async () => {
      const property = fc.asyncProperty(Plan, async (plan) => {
        const run = await Run.start(plan);
        await run.finish();
        const { session } = run.agent;
        const { code, said } = await replayFile(exported(session, session.events), true);
        if (code !== 0) throw new Error([...said, outline(session.events)].join('\n'));
      });
      await fc.assert(property, isLong ? { numRuns: 3000 } : { numRuns: 60, seed: 1 });
    },
    isLong ? 900_000 : 60_000,
  );
});
