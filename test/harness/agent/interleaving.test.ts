import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { outline } from './check-log.ts';
import { Plan, Run } from './random-run.ts';

const isLong = process.env.DSH_LONG_TESTS === '1';

describe('agent', () => {
  it(
    'A1 A2 A7 A9 A17 A18 A19 A22 A23 A33 hold in any interleaving, and so do S7 to S15, T24 to T31, B4 and B5',
    async () => {
      const property = fc.asyncProperty(Plan, async (plan) => {
        const run = await Run.start(plan);
        await run.finish();
        try {
          run.check();
        } catch (error) {
          throw new Error(outline(run.agent.session.events), { cause: error });
        }
      });
      await fc.assert(property, isLong ? { numRuns: 5000 } : { numRuns: 80, seed: 20 });
    },
    isLong ? 900_000 : 60_000,
  );
});
