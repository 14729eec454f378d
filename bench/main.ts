import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, Row } from './benchmark.ts';
import { BENCHMARKS } from './benchmarks.ts';

/** Measures what docs/performance.md names and prints one table and one JSON file. Nothing here fails a build. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '3' } } });
  const chosen = BENCHMARKS.filter(
    ({ id }) => values.only === undefined || id.toLowerCase() === values.only.toLowerCase(),
  );
  const rows: Row[] = [];
  for (const benchmark of chosen) rows.push(...(await measure(benchmark, Number(values.rounds))));
  print(rows);
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify(rows, null, 2)}\n`);
}

async function measure(benchmark: Benchmark, rounds: number): Promise<Row[]> {
  process.stderr.write(`${benchmark.id} …\n`);
  try {
    return await benchmark.run(rounds);
  } catch (error) {
    return [
      {
        id: benchmark.id,
        what: 'failed',
        figure: String(error),
        reference: '',
        ratio: undefined,
        mark: '',
        met: false,
      },
    ];
  }
}

function print(rows: readonly Row[]): void {
  const cells = rows.map((row) => [
    row.id,
    row.what,
    row.figure,
    row.reference,
    row.ratio?.toFixed(3) ?? '',
    row.mark,
    row.met ? 'met' : 'not met',
  ]);
  const table = [['#', 'what', 'figure', 'reference', 'ratio', 'mark', ''], ...cells];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}

await main();
