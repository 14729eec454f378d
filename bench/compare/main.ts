import { readFile } from 'node:fs/promises';
import { decide } from './decide.ts';
import type { Spread } from './decide.ts';
import { EvalResult } from './eval-result.ts';

/** `npm run eval:compare -- before.json after.json`: ends with 0 where the change is kept, with 1 where it is dropped (PR68). */
async function main(): Promise<void> {
  const [before, after] = process.argv.slice(2);
  if (before === undefined || after === undefined) throw new Error('give two result files: before, after');
  const { keep, why, comparisons } = decide(await read(before), await read(after));
  for (const one of comparisons) {
    console.log(`${one.count.padEnd(12)} ${shown(one.before)}  →  ${shown(one.after)}  ${one.verdict}`);
  }
  console.log(`${keep ? 'keep' : 'drop'}: ${why}`);
  process.exitCode = keep ? 0 : 1;
}

async function read(path: string): Promise<EvalResult> {
  return EvalResult.parse(JSON.parse(await readFile(path, 'utf8')));
}

function shown({ median, least, most }: Spread): string {
  const [middle, low, high] = [median, least, most].map((value) => Number(value.toFixed(3)));
  return `${middle} (${low}–${high})`;
}

await main();
