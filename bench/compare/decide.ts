import type { EvalResult, EvalRow } from './eval-result.ts';

/** How one count moved, over the runs of both results. `same` is within their spread. */
export interface Comparison {
  readonly count: string;
  readonly before: Spread;
  readonly after: Spread;
  readonly verdict: 'better' | 'worse' | 'same';
}
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}
export interface Decision {
  /** PR68: nothing worse beyond the spread, and something better. */
  readonly keep: boolean;
  readonly why: string;
  readonly comparisons: readonly Comparison[];
}

const LEAST_RUNS = 3;
const COUNTS: readonly {
  readonly count: string;
  readonly sign: 1 | -1;
  of(rows: readonly EvalRow[]): number | undefined;
}[] = [
  { count: 'resolved', sign: 1, of: (rows) => sum(rows, 'resolved') },
  { count: 'regressions', sign: -1, of: (rows) => sum(rows, 'regressions') },
  { count: 'precision', sign: 1, of: precisionOf },
  { count: 'cost', sign: -1, of: (rows) => sum(rows, 'cost') },
];

/**
 * Whether a change of prompts or tools is kept, by what it was before and after (PR68). Pure.
 * @throws Error where the two cannot be compared: another model, other tasks, too few runs
 */
export function decide(before: EvalResult, after: EvalResult): Decision {
  assertComparable(before, after);
  const comparisons = COUNTS.flatMap(({ count, sign, of }) => {
    const [old, now] = [runsOf(before).map(of), runsOf(after).map(of)];
    return isWhole(old) && isWhole(now) ? [compare(count, sign, spreadOf(old), spreadOf(now))] : [];
  });
  const named = (verdict: Comparison['verdict']) =>
    comparisons.filter((one) => one.verdict === verdict).map(({ count }) => count);
  const [worse, better] = [named('worse'), named('better')];
  if (worse.length > 0) return { keep: false, why: `worse: ${worse.join(', ')}`, comparisons };
  if (better.length === 0) return { keep: false, why: 'no effect beyond the spread of the runs', comparisons };
  return { keep: true, why: `better: ${better.join(', ')}`, comparisons };
}

function assertComparable(before: EvalResult, after: EvalResult): void {
  if (before.model !== after.model) throw new Error(`two models: ${before.model} and ${after.model}`);
  const tasks = runsOf(before).map(tasksOf);
  if (new Set([...tasks, ...runsOf(after).map(tasksOf)]).size > 1)
    throw new Error('the runs are not over the same tasks');
  const runs = Math.min(tasks.length, runsOf(after).length);
  if (runs < LEAST_RUNS) throw new Error(`${runs} runs tell nothing of their spread: ${LEAST_RUNS} at least`);
}

/** A median beyond the other's range, from both sides. */
function compare(count: string, sign: 1 | -1, before: Spread, after: Spread): Comparison {
  const isApart = isOutside(after.median, before) && isOutside(before.median, after);
  const gain = sign * (after.median - before.median);
  return { count, before, after, verdict: !isApart ? 'same' : gain > 0 ? 'better' : 'worse' };
}

function isOutside(value: number, { least, most }: Spread): boolean {
  return value < least || value > most;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

function runsOf({ rows }: EvalResult): EvalRow[][] {
  return [...Map.groupBy(rows, ({ run }) => run).values()];
}

function tasksOf(rows: readonly EvalRow[]): string {
  return JSON.stringify(rows.map(({ id }) => id).sort());
}

function precisionOf(rows: readonly EvalRow[]): number | undefined {
  if (rows.some(({ told, right }) => told === undefined || right === undefined)) return undefined;
  const told = sum(rows, 'told');
  return told === 0 ? 1 : sum(rows, 'right') / told;
}

function sum(rows: readonly EvalRow[], field: 'resolved' | 'regressions' | 'told' | 'right' | 'cost'): number {
  return rows.reduce((total, row) => total + (row[field] ?? 0), 0);
}

function isWhole(values: readonly (number | undefined)[]): values is readonly number[] {
  return !values.includes(undefined);
}
