import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cleanEnv, ratioRow, takeTurns } from './benchmark.ts';
import type { Benchmark, Row } from './benchmark.ts';

const BUNDLE = join(import.meta.dirname, '../dist/action.js');

/** B17: size of the Action's bundle, and its start against that of an empty one. */
export const bundle: Benchmark = {
  id: 'B17',
  async run(rounds) {
    const folder = mkdtempSync(join(tmpdir(), 'dsh-bench-'));
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    try {
      const [figure, reference] = await takeTurns(
        rounds * 3,
        async () => start(BUNDLE),
        async () => start(empty),
      );
      return [size(), ratioRow('B17', 'start of the bundle', { figure, reference, unit: 'ms' }, { atMost: 4 })];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function size(): Row {
  const megabytes = gzipSync(readFileSync(BUNDLE)).length / 1e6;
  return {
    id: 'B17',
    what: 'size of the bundle, gzip',
    figure: `${megabytes.toFixed(2)} MB`,
    reference: '',
    ratio: undefined,
    mark: '≤ 3 MB',
    met: megabytes <= 3,
  };
}

/** Outside of a runner the bundle loads all it has, says so and ends. */
function start(file: string): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, [file], { env: { ...cleanEnv(), GITHUB_EVENT_NAME: '' }, stdio: 'ignore' });
  return performance.now() - startedAt;
}
