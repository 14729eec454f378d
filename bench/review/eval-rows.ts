import type { EvalResult, EvalRow } from '../compare/eval-result.ts';
import type { LiveScore } from './live-run.ts';

/** Some runs of one model over the same changes, in the form that results are compared in. Pure. */
export function evalResult(model: string, runs: readonly (readonly LiveScore[])[]): EvalResult {
  const rows = runs.flatMap((scores, run) => scores.map((score) => rowOf(score, run)));
  const versions = runs.flat().flatMap(({ promptVersion }) => promptVersion ?? []);
  return { model, promptVersions: [...new Set(versions)].sort(), rows: rows as EvalResult['rows'] };
}

function rowOf({ id, found, duplicates, falseAlarms, cost, tokens }: LiveScore, run: number): EvalRow {
  const told = found + duplicates + falseAlarms;
  return { id, run, resolved: found, regressions: 0, told, right: found, cost: cost ?? tokens };
}
