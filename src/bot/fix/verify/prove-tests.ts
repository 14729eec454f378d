import { dirname } from 'node:path';
import type { TreeChange } from '../../../github/tree/types.ts';
import type { VerifyRun } from '../../../publish/pull-request/plan-pull-request.ts';
import { hasPassed } from '../../../publish/pull-request/plan-pull-request.ts';
import { shellQuote } from '../../../seams/bash/shell-quote.ts';
import { isTestPath } from './changed-tests.ts';
import { BASE_TREE } from './lay-base.ts';
import type { VerifyResult } from './run-or-lose.ts';
import type { Verification, VerifyPlace } from './verify.ts';
import { isUnharmed, layBase, layOut, runCommand } from './verify.ts';

/** More tests than this are not laid out one by one. */
const MAX_TESTS = 200;

/**
 * Runs what passed once more on the base with only the tests of the change: a test that passes there, too, shows nothing
 * (PR5, PR32). Where the change is tests alone, or holds none, the runs come back as they are.
 */
export async function proveTests(
  runs: readonly VerifyRun[],
  changes: readonly TreeChange[],
  place: VerifyPlace,
): Promise<Omit<Verification, 'newFailure'>> {
  const tests = changes.filter(({ path }) => isTestPath(path));
  const isMixed = tests.length > 0 && tests.length < changes.length && tests.length <= MAX_TESTS;
  return isMixed ? proveEach(runs, tests, place) : { runs };
}

async function proveEach(
  runs: readonly VerifyRun[],
  tests: readonly TreeChange[],
  place: VerifyPlace,
): Promise<Omit<Verification, 'newFailure'>> {
  const proven = [...runs];
  let laid: VerifyResult | undefined;
  for (const [at, run] of runs.entries()) {
    if (!hasPassed(run)) continue;
    laid ??= await layTests(tests, place);
    if (!hasPassed(laid)) return { runs: proven, ...(!(await isUnharmed(laid, place)) && GONE) };
    const result = await runCommand(run.command, { workdir: BASE_TREE, onBase: true, withTests: true }, place);
    proven[at] = { ...run, withoutChange: hasPassed(result) ? 'passes' : 'fails' };
    if (!(await isUnharmed(result, place))) return { runs: proven, ...GONE };
    // What was laid out went with the sandbox.
    if (result.lost !== undefined) laid = undefined;
  }
  return { runs: proven };
}

const GONE = { isSandboxGone: true } as const;

/** Tests came with the change, and all that was run passes without it as well. Pure. */
export function provesNothing(runs: readonly VerifyRun[]): boolean {
  const proofs = runs.flatMap(({ withoutChange }) => (withoutChange ? [withoutChange] : []));
  return proofs.length > 0 && proofs.every((proof) => proof === 'passes');
}

async function layTests(tests: readonly TreeChange[], place: VerifyPlace): Promise<VerifyResult> {
  const laid = await layBase(place);
  return hasPassed(laid) ? layOut(layTestsCommand(tests, place.policy.workspaceRoot), place) : laid;
}

/** Copies the tests as they are in the work tree over those of the base that was laid out. */
export function layTestsCommand(tests: readonly TreeChange[], workTree: string, baseTree = BASE_TREE): string {
  const at = (root: string, path: string) => shellQuote(`${root}/${path}`);
  const steps = tests.map(({ kind, path }) =>
    kind === 'deleted'
      ? `rm -f -- ${at(baseTree, path)}`
      : `mkdir -p -- ${at(baseTree, dirname(path))} && cp -P -- ${at(workTree, path)} ${at(baseTree, path)}`,
  );
  return steps.join(' && ');
}
