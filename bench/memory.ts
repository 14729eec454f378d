import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnv, median, ratioRow } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { withBundle } from './bundled.ts';
import { runLoop } from './run-loop.ts';

const STEPS = 200;
const AT_ONCE = 4;
const MAX_EXTRA_MB = 8;

/** B5: memory of one turn of 200 steps, at its peak, and of each further turn in the same process. */
export const memory: Benchmark = {
  id: 'B5',
  run: (rounds) =>
    withBundle('our-loop.ts', (ours) => withBundle('memory-floor.ts', (floor) => measure(rounds, ours, floor))),
};

async function measure(rounds: number, ours: string, floor: string): Promise<Row[]> {
  const [one, least, extra]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    one.push((await runLoop(ours, { steps: STEPS })).rssMb);
    least.push(floorMb(floor));
    const many = await runLoop(ours, { steps: STEPS * AT_ONCE, concurrent: AT_ONCE });
    extra.push((many.rssMb - one.at(-1)!) / (AT_ONCE - 1));
  }
  const figures = { figure: median(one), reference: median(least), unit: 'MB' };
  return [ratioRow('B5', 'peak memory of a turn of 200 steps', figures, { atMost: 1.6 }), extraRow(median(extra))];
}

function floorMb(file: string): number {
  const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, file)], {
    env: cleanEnv(),
    encoding: 'utf8',
  });
  return (JSON.parse(stdout) as { rssMb: number }).rssMb;
}

function extraRow(megabytes: number): Row {
  return {
    id: 'B5',
    what: 'memory of each further turn at once',
    figure: `${megabytes.toFixed(1)} MB`,
    reference: '',
    ratio: undefined,
    mark: `≤ ${MAX_EXTRA_MB} MB`,
    met: megabytes <= MAX_EXTRA_MB,
  };
}
