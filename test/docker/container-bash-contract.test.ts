import { afterAll, beforeAll } from '@jest/globals';
import { runBashContract } from '../seams/bash/run-bash-contract.ts';
import { openBench } from './support/sandbox-bench.ts';
import type { SandboxBench } from './support/sandbox-bench.ts';

let bench: SandboxBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

runBashContract('in a container', async () => {
  const bash = bench.bash();
  return { bash, root: '/workspace', missing: '/workspace/missing', close: () => bash.dispose() };
});
