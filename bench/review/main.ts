import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { evalResult } from './eval-rows.ts';
import { runLive } from './live-run.ts';
import type { LiveScore } from './live-run.ts';
import { runScripted } from './scripted-run.ts';
import { sumOf } from './score.ts';
import { SEEDS } from './seeds.ts';

/**
 * How well reviews come out on changes with known defects. Without `--model` the pipeline alone is scored, with a reviewer
 * that sees everything and is careless; with it, that model reviews, and its key is read from the environment. `--runs 3 --out file` writes what `npm run eval:compare` reads.
 */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { model: text, only: text, runs: text, out: text } });
  const seeds = SEEDS.filter(({ id }) => values.only === undefined || id.includes(values.only));
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  if (values.model !== undefined) {
    const live = { model: values.model, variables: process.env, say };
    const runs: LiveScore[][] = [];
    for (let run = 0; run < Number(values.runs ?? 1); run += 1) runs.push(await runLive(seeds, live));
    if (values.out !== undefined) await writeFile(values.out, JSON.stringify(evalResult(values.model, runs), null, 2));
    const scores = runs.flat();
    const { defects, found, placed, duplicates, falseAlarms } = sumOf(scores);
    const told = found + duplicates + falseAlarms;
    const clean = scores.filter((score) => score.defects === 0);
    console.log(`model ${values.model}, ${seeds.length} changes, ${defects} defects`);
    console.log(`recall ${share(found, defects)}  precision ${share(found, told)}  right line ${share(placed, found)}`);
    console.log(
      `false alarms on ${clean.length} clean changes: ${sumOf(clean).falseAlarms}  duplicates: ${duplicates}`,
    );
    console.log(`tokens ${scores.reduce((sum, { tokens }) => sum + tokens, 0)}`);
    return;
  }
  const scores = await runScripted(seeds, say);
  const [first, moved] = [sumOf(scores.map((score) => score.first)), sumOf(scores.map((score) => score.moved))];
  console.log(
    `${seeds.length} changes in ${new Set(seeds.map(({ language }) => language)).size} languages, ${first.defects} defects`,
  );
  console.log(
    `on the right line ${share(first.placed, first.defects)}, after a move ${share(moved.placed, moved.defects)}`,
  );
  console.log(`duplicates ${first.duplicates}, after a move ${moved.duplicates}`);
  console.log(`false alarms told ${first.falseAlarms}, after a move ${moved.falseAlarms}`);
  console.log(`threads open after the mending push ${scores.reduce((sum, { leftOpen }) => sum + leftOpen, 0)}`);
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${part}/${whole} (${Math.round((100 * part) / whole)} %)`;
}

await main();
