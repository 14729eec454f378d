import { spawnSync } from 'node:child_process';
import { cleanEnv, ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';
import { withBundle } from './bundled.ts';
import { runLoop } from './run-loop.ts';

/** B4: from the start of the process to the first request to the model, against a Node that does nothing. */
export const coldStart: Benchmark = {
  id: 'B4',
  run: (rounds) =>
    withBundle('our-loop.ts', async (file) => {
      await runLoop(file, { steps: 1 });
      const [figure, reference] = await takeTurns(
        rounds * 3,
        async () => (await runLoop(file, { steps: 1 })).coldStartMs,
        async () => emptyStartMs(),
      );
      return [ratioRow('B4', 'start to first request', { figure, reference, unit: 'ms' }, { atMost: 8 })];
    }),
};

function emptyStartMs(): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { env: cleanEnv(), stdio: 'ignore' });
  return performance.now() - startedAt;
}
