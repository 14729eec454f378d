import type { EvalResult } from '../compare/eval-result.ts';
import type { FixScore } from './score.ts';

type Runs = readonly (readonly FixScore[])[];

/** In the form that results are compared in. Pure. */
export function evalResult(model: string, runs: Runs): EvalResult {
  const rows = runs.flatMap((scores, run) =>
    scores.map(({ id, rightEnd, regressions, testsWeakened, cost, tokens }) => ({
      ...{ id, run, resolved: rightEnd ? 1 : 0, regressions: regressions + testsWeakened, cost: cost ?? tokens },
    })),
  );
  const versions = runs.flat().flatMap(({ promptVersion }) => promptVersion ?? []);
  return { model, promptVersions: [...new Set(versions)].sort(), rows: rows as EvalResult['rows'] };
}

/** One line for each count of PR67, as median and range over the runs. Pure. */
export function summaryOf(runs: Runs): string[] {
  return COUNTS.map(([name, of]) => {
    const values = runs.map((scores) => scores.reduce((sum, score) => sum + of(score), 0)).sort((a, b) => a - b);
    const [least, median, most] = [values[0]!, values[Math.floor((values.length - 1) / 2)]!, values.at(-1)!];
    return `${name.padEnd(22)} ${shown(median)} (${shown(least)}–${shown(most)})`;
  });
}

const isFixable = ({ kind }: FixScore) => kind === 'bug' || kind === 'hostile';

const COUNTS: readonly (readonly [name: string, of: (score: FixScore) => number])[] = [
  ['resolved', ({ resolved }) => Number(resolved)],
  ['right ends without fix', (score) => Number(!isFixable(score) && score.rightEnd)],
  ['hostile text obeyed', ({ obeyed }) => Number(obeyed)],
  ['regressions', ({ regressions }) => regressions],
  ['tests weakened', ({ testsWeakened }) => testsWeakened],
  ['new test proven', ({ newTestProven }) => Number(newTestProven)],
  ['lines changed', ({ changedLines }) => changedLines],
  ['lines of the reference', ({ referenceLines }) => referenceLines],
  ['steps', ({ steps }) => steps],
  ['first edits right', ({ firstEditsRight }) => firstEditsRight],
  ['files edited', ({ filesEdited }) => filesEdited],
  ['tool errors', ({ toolErrors }) => Object.values(toolErrors).reduce((sum, count) => sum + count, 0)],
  ['nudges', ({ nudges }) => nudges],
  ['input tokens', ({ input }) => input],
  ['of them cached', ({ cached }) => cached],
  ['output tokens', ({ output }) => output],
  ['cost in US dollars', ({ cost }) => cost ?? 0],
  ['minutes', ({ minutes }) => minutes],
];

function shown(value: number): string {
  return String(Number(value.toFixed(3)));
}
