import type { VerifyResult } from './run-or-lose.ts';

/** What differs from run to run and says nothing: durations, clock times, dates, addresses. */
const PASSING = [
  /duration_ms:? *[\d.]+/g,
  /\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|min|minutes?)\b/g,
  /\b\d{4}-\d\d-\d\d(?:T|\b)|(?<!\d)\d\d:\d\d:\d\d(?:\.\d+)?/g,
  /\b0x[\da-f]+\b/gi,
];

/** A failing run, and the folder it ran in. */
export interface FailedRun {
  readonly result: VerifyResult;
  readonly folder: string;
}

/** Whether two runs of a command failed alike: same code, same output but for the folder and what passes. Pure. */
export function isSameFailure(one: FailedRun, other: FailedRun): boolean {
  return essenceOf(one) === essenceOf(other);
}

function essenceOf({ result, folder }: FailedRun): string {
  const { exitCode, signal, timedOut, stdout, stderr, lost } = result;
  const texts = [stdout, stderr].map(({ text }) =>
    PASSING.reduce((rest, passing) => rest.replaceAll(passing, ''), text.replaceAll(folder, '')),
  );
  return JSON.stringify([exitCode, signal, timedOut, lost !== undefined, ...texts]);
}
