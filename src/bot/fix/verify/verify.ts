import type { BashExecutor, BashRunResult } from '../../../seams/bash/executor.ts';
import type { SandboxExecutionPolicy } from '../../../seams/sandbox/types.ts';
import { hasPassed } from '../../../publish/pull-request/plan-pull-request.ts';
import type { VerifyRun } from '../../../publish/pull-request/plan-pull-request.ts';
import { BASE_TREE, layBaseCommand } from './lay-base.ts';
import { isSameFailure } from './same-failure.ts';

export interface VerifyPlace {
  readonly bash: BashExecutor;
  readonly policy: SandboxExecutionPolicy;
  readonly baseSha: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called for every run, on the change and on the base. */
  readonly record: (run: RecordedRun) => void;
}
export interface RecordedRun {
  readonly command: string;
  readonly result: BashRunResult;
  readonly onBase: boolean;
  /** On the base with the tests of the change laid over it. */
  readonly withTests: boolean;
  readonly durationMs: number;
}
export interface Verification {
  readonly runs: readonly VerifyRun[];
  readonly newFailure: NewFailure | undefined;
}

/** A failure that counts as the change's, with its output, for the model. */
export interface NewFailure {
  readonly command: string;
  readonly output: string;
  /** Unknown where the base could not be laid out. */
  readonly onBase: 'passes' | 'fails-differently' | 'unknown';
}

/** Enough to still hold the head of what a test run prints. */
const STDOUT_MAX_BYTES = 1024 * 1024;
/** Kept of each end of a failing command's output: together 4,000 tokens (PR32). */
const SHOWN_CHARS = 8_000;

/** Runs the verification on the change, and what fails there on the base as well, to tell old failures apart (F2, F3). */
export async function verify(commands: readonly string[], place: VerifyPlace): Promise<Verification> {
  const runs: VerifyRun[] = [];
  let newFailure: NewFailure | undefined;
  for (const command of commands) {
    const result = await runCommand(command, { workdir: place.policy.workspaceRoot }, place);
    const before = hasPassed(result) ? undefined : await runOnTheBase(command, place);
    const sameOnBase = before !== undefined && isOldFailure(result, before, place);
    const { exitCode, timedOut } = result;
    const failsOnBase = before && !hasPassed(before);
    runs.push({ command, exitCode, timedOut, ...(before && { failsOnBase }), ...(sameOnBase && { sameOnBase }) });
    if (!hasPassed(result) && !sameOnBase) newFailure ??= describeNewFailure(command, result, before);
  }
  return { runs, newFailure };
}

function isOldFailure(result: BashRunResult, before: BashRunResult, { policy }: VerifyPlace): boolean {
  return isSameFailure({ result, folder: policy.workspaceRoot }, { result: before, folder: BASE_TREE });
}

/** Undefined where the base could not be laid out. */
async function runOnTheBase(command: string, place: VerifyPlace): Promise<BashRunResult | undefined> {
  return (await layBase(place)) ? runCommand(command, { workdir: BASE_TREE, onBase: true }, place) : undefined;
}

/** Lays the base out beside the work tree; false where that cannot be done. */
export async function layBase({ bash, policy, baseSha, signal }: VerifyPlace): Promise<boolean> {
  const { workspaceRoot } = policy;
  const lay = layBaseCommand(baseSha, workspaceRoot);
  const laid = await bash.run(bash.resolve({ command: lay, workdir: workspaceRoot, signal, sandboxPolicy: policy }));
  signal.throwIfAborted();
  return hasPassed(laid);
}

interface WhereRun {
  readonly workdir: string;
  readonly onBase?: boolean;
  readonly withTests?: boolean;
}

/** Runs one command of the verification, and records it. */
export async function runCommand(
  command: string,
  { workdir, onBase = false, withTests = false }: WhereRun,
  place: VerifyPlace,
): Promise<BashRunResult> {
  const { bash, policy, timeoutMs, signal } = place;
  const startedAt = performance.now();
  const result = await bash.run(
    bash.resolve({ command, workdir, timeoutMs, signal, sandboxPolicy: policy, stdoutMaxBytes: STDOUT_MAX_BYTES }),
  );
  signal.throwIfAborted();
  place.record({ command, result, onBase, withTests, durationMs: Math.round(performance.now() - startedAt) });
  return result;
}

function describeNewFailure(command: string, result: BashRunResult, before: BashRunResult | undefined): NewFailure {
  if (!before) return { command, onBase: 'unknown', output: outputOf(result, SHOWN_CHARS) };
  if (hasPassed(before)) return { command, onBase: 'passes', output: outputOf(result, SHOWN_CHARS) };
  const [now, then] = [result, before].map((one) => outputOf(one, SHOWN_CHARS / 2));
  return { command, onBase: 'fails-differently', output: `With the change:\n${now}\n\nWithout it:\n${then}` };
}

function outputOf(result: BashRunResult, chars: number): string {
  const output = [result.stdout.text, result.stderr.text].filter(Boolean).join('\n');
  const cut = output.length <= chars * 2 ? output : `${output.slice(0, chars)}\n[…]\n${output.slice(-chars)}`;
  return `${cut}\n${result.timedOut ? `[timed out after ${result.timeoutMs}ms]` : `[exit code: ${result.exitCode ?? 'none'}]`}`;
}
