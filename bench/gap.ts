import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnv, median, quantile, ratioRow } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';

const STEPS = 200;
const WARM_UP = 20;

interface Run {
  readonly gaps: readonly number[];
  readonly cpuMs: number;
}

/** B1 to B3: what a step costs besides the model, against a loop without sandbox or log. */
export const gap: Benchmark = {
  id: 'B1',
  async run(rounds) {
    const [ours, floor]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await runLoop('our-loop.ts'));
      floor.push(await runLoop('floor-loop.ts'));
    }
    const all = (runs: readonly Run[]) => runs.flatMap((run) => run.gaps.slice(WARM_UP));
    const both = (pick: (runs: readonly Run[]) => number, unit: string) => ({
      figure: pick(ours),
      reference: pick(floor),
      unit,
    });
    return [
      ratioRow(
        'B1',
        'gap per step, median',
        both((runs) => median(all(runs)), 'ms'),
        { atMost: 2 },
      ),
      ratioRow(
        'B1',
        'gap per step, p95',
        both((runs) => quantile(all(runs), 0.95), 'ms'),
        { atMost: 3 },
      ),
      slopeRow(ours),
      ratioRow(
        'B3',
        'CPU per step',
        both((runs) => median(runs.map((run) => run.cpuMs)) / STEPS, 'ms'),
        { atMost: 2 },
      ),
    ];
  },
};

/** B2: Theil–Sen slope of the gap over the steps. */
function slopeRow(runs: readonly Run[]): Row {
  const slopes = runs.map(({ gaps }) => theilSen(gaps.slice(WARM_UP)) * 1_000);
  const slope = median(slopes);
  return {
    id: 'B2',
    what: 'growth of the gap per step',
    figure: `${slope.toFixed(2)} µs`,
    reference: '',
    ratio: undefined,
    mark: '≤ 5 µs',
    met: slope <= 5,
  };
}

function theilSen(values: readonly number[]): number {
  const slopes: number[] = [];
  for (let i = 0; i < values.length; i++) {
    for (let j = i + 1; j < values.length; j++) slopes.push((values[j]! - values[i]!) / (j - i));
  }
  return median(slopes);
}

async function runLoop(file: string): Promise<Run> {
  const model = spawn(process.execPath, [join(import.meta.dirname, 'timed-model.ts'), String(STEPS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: cleanEnv(),
  });
  const [port] = (await once(createInterface(model.stdout), 'line')) as [string];
  const loop = spawn(process.execPath, [join(import.meta.dirname, file), `http://127.0.0.1:${port}/v1`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: cleanEnv(),
  });
  let output = '';
  loop.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(loop, 'close');
  const gaps = (await (await fetch(`http://127.0.0.1:${port}/stats`)).json()) as number[];
  model.stdin.end();
  await once(model, 'close');
  if (gaps.length < STEPS) throw new Error(`${file} made only ${gaps.length} of ${STEPS} steps: ${output}`);
  return { gaps, cpuMs: (JSON.parse(output) as { cpuMs: number }).cpuMs };
}
