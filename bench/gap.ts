import { median, quantile, ratioRow } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { runLoop } from './run-loop.ts';
import type { LoopRun } from './run-loop.ts';

const STEPS = 200;
const WARM_UP = 20;

/** B1 to B3: what a step costs besides the model, against a loop without sandbox or log. */
export const gap: Benchmark = {
  id: 'B1',
  async run(rounds) {
    const [ours, floor]: [LoopRun[], LoopRun[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await runLoop('our-loop.ts', { steps: STEPS }));
      floor.push(await runLoop('floor-loop.ts', { steps: STEPS }));
    }
    const all = (runs: readonly LoopRun[]) => runs.flatMap((run) => run.gaps.slice(WARM_UP));
    const both = (pick: (runs: readonly LoopRun[]) => number, unit: string) => ({
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
function slopeRow(runs: readonly LoopRun[]): Row {
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
