import { spawnSync } from 'node:child_process';
import { DEFAULT_SANDBOX_IMAGE } from '../src/docker/default-image.ts';
import { ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark } from './benchmark.ts';
import { openBenchSandbox } from './bench-sandbox.ts';

/** B7: from asking for a container to its first command's output, against `docker run` of the command line client. */
export const sandboxReady: Benchmark = {
  id: 'B7',
  async run(rounds) {
    await (await openBenchSandbox()).close(); // the volume with the agent is filled once per version
    const [figure, reference] = await takeTurns(rounds * 2, firstOutput, dockerRun);
    return [ratioRow('B7', 'container ready, first output', { figure, reference, unit: 'ms' }, { atMost: 1.1 })];
  },
};

async function firstOutput(): Promise<number> {
  const startedAt = performance.now();
  const bench = await openBenchSandbox();
  await bench.run('echo x');
  const ms = performance.now() - startedAt;
  await bench.close();
  return ms;
}

async function dockerRun(): Promise<number> {
  const image = process.env['DSH_SANDBOX_IMAGE'] ?? DEFAULT_SANDBOX_IMAGE;
  const startedAt = performance.now();
  spawnSync('docker', ['run', '--rm', '--network', 'none', image, 'sh', '-c', 'echo x'], { stdio: 'ignore' });
  return performance.now() - startedAt;
}
