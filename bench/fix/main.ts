import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DEFAULT_SANDBOX_IMAGE } from '../../src/docker/default-image.ts';
import { runLive } from './live-run.ts';
import { inContainer } from './run-tests.ts';
import type { FixScore } from './score.ts';
import { evalResult, summaryOf } from './summary.ts';
import { TASKS } from './tasks.ts';

/**
 * How well issues are fixed: `npm run eval:fix -- --model provider/model`, with the key in the environment. `--runs 3 --out file`
 * writes what `npm run eval:compare` reads; `--only` takes the tasks whose names hold a text.
 */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { model: text, only: text, runs: text, out: text } });
  if (values.model === undefined) throw new Error('give --model provider/model');
  const tasks = TASKS.filter(({ id }) => values.only === undefined || id.includes(values.only));
  const live = {
    ...{ model: values.model, variables: process.env, runIn: inContainer(DEFAULT_SANDBOX_IMAGE) },
    say: (line: string) => void process.stderr.write(`${line}\n`),
  };
  const runs: FixScore[][] = [];
  for (let run = 0; run < Number(values.runs ?? 1); run += 1) runs.push(await runLive(tasks, live));
  console.log(`model ${values.model}, ${tasks.length} tasks, ${runs.length} runs`);
  for (const line of summaryOf(runs)) console.log(line);
  if (values.out !== undefined) await writeFile(values.out, JSON.stringify(evalResult(values.model, runs), null, 2));
}

await main();
