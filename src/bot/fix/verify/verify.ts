import type { BashExecutor } from '../../../seams/bash/executor.ts';
import type { SandboxExecutionPolicy } from '../../../seams/sandbox/types.ts';
import { hasPassed } from '../../../publish/pull-request/plan-pull-request.ts';
import type { VerifyRun } from '../../../publish/pull-request/plan-pull-request.ts';
import { BASE_TREE, layBaseCommand } from './lay-base.ts';
import { isSandboxBack, runOrLose } from './run-or-lose.ts';
import type { VerifyResult } from './run-or-lose.ts';
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
  readonly result: VerifyResult;
  readonly onBase: boolean;
  /** On the base with the tests of the change laid over it. */
  readonly withTests: boolean;
  readonly durationMs: number;
}
export interface Verification {
  readonly runs: readonly VerifyRun[];
  readonly newFailure: NewFailure | undefined;
  /** The sandbox was lost so often that nothing more can be run, nor done to the change. */
  readonly isSandboxGone?: true;
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
  for (const [at, command] of commands.entries()) {
    const result = await runCommand(command, { workdir: place.policy.workspaceRoot }, place);
    const isBack = await isUnharmed(result, place);
    const { before, laid } = hasPassed(result) || !isBack ? NO_BASE : await runOnTheBase(command, place);
    const sameOnBase = before !== undefined && isOldFailure(result, before, place);
    runs.push(runOf(command, result, before, sameOnBase));
    if (!hasPassed(result) && !sameOnBase) newFailure ??= describeNewFailure(command, result, before);
    if (isBack && (await isUnharmed(before ?? laid ?? result, place))) continue;
    return { runs: [...runs, ...commands.slice(at + 1).map(notRun)], newFailure, isSandboxGone: true };
  }
  return { runs, newFailure };
}

/** Whether more can be run: false where the command took the last sandbox with it. */
export async function isUnharmed({ lost }: VerifyResult, { bash, policy, signal }: VerifyPlace): Promise<boolean> {
  if (lost === undefined) return true;
  const probe = bash.resolve({ command: 'true', workdir: policy.workspaceRoot, signal, sandboxPolicy: policy });
  return isSandboxBack(bash, probe, lost);
}

function runOf(
  command: string,
  result: VerifyResult,
  before: VerifyResult | undefined,
  sameOnBase: boolean,
): VerifyRun {
  const { exitCode, timedOut, lost } = result;
  return {
    ...{ command, exitCode, timedOut },
    ...(before && { failsOnBase: !hasPassed(before) }),
    ...(sameOnBase && { sameOnBase }),
    ...(lost !== undefined && { sandbox: 'lost' }),
  };
}

function notRun(command: string): VerifyRun {
  return { command, exitCode: null, timedOut: false, sandbox: 'none' };
}

function isOldFailure(result: VerifyResult, before: VerifyResult, { policy }: VerifyPlace): boolean {
  return isSameFailure({ result, folder: policy.workspaceRoot }, { result: before, folder: BASE_TREE });
}

interface BaseRun {
  readonly laid?: VerifyResult;
  /** Undefined where the base could not be laid out. */
  readonly before?: VerifyResult;
}
const NO_BASE: BaseRun = {};

async function runOnTheBase(command: string, place: VerifyPlace): Promise<BaseRun> {
  const laid = await layBase(place);
  if (!hasPassed(laid)) return { laid };
  return { laid, before: await runCommand(command, { workdir: BASE_TREE, onBase: true }, place) };
}

/** Lays the base out beside the work tree, in memory: what is too large for that may take the sandbox down. */
export async function layBase(place: VerifyPlace): Promise<VerifyResult> {
  return layOut(layBaseCommand(place.baseSha, place.policy.workspaceRoot), place);
}

/** Runs a command of ours, which is no run of the verification. */
export async function layOut(command: string, { bash, policy, signal }: VerifyPlace): Promise<VerifyResult> {
  const spec = bash.resolve({ command, workdir: policy.workspaceRoot, signal, sandboxPolicy: policy });
  const laid = await runOrLose(bash, spec);
  signal.throwIfAborted();
  return laid;
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
): Promise<VerifyResult> {
  const { bash, policy, timeoutMs, signal } = place;
  const startedAt = performance.now();
  const result = await runOrLose(
    bash,
    bash.resolve({ command, workdir, timeoutMs, signal, sandboxPolicy: policy, stdoutMaxBytes: STDOUT_MAX_BYTES }),
  );
  signal.throwIfAborted();
  place.record({ command, result, onBase, withTests, durationMs: Math.round(performance.now() - startedAt) });
  return result;
}

function describeNewFailure(command: string, result: VerifyResult, before: VerifyResult | undefined): NewFailure {
  if (!before) return { command, onBase: 'unknown', output: outputOf(result, SHOWN_CHARS) };
  if (hasPassed(before)) return { command, onBase: 'passes', output: outputOf(result, SHOWN_CHARS) };
  const [now, then] = [result, before].map((one) => outputOf(one, SHOWN_CHARS / 2));
  return { command, onBase: 'fails-differently', output: `With the change:\n${now}\n\nWithout it:\n${then}` };
}

function outputOf(result: VerifyResult, chars: number): string {
  const output = [result.stdout.text, result.stderr.text].filter(Boolean).join('\n');
  const cut = output.length <= chars * 2 ? output : `${output.slice(0, chars)}\n[…]\n${output.slice(-chars)}`;
  return `${cut}\n${endOf(result)}`;
}

function endOf({ lost, timedOut, timeoutMs, exitCode }: VerifyResult): string {
  if (lost !== undefined) return `[it took the sandbox down: out of memory, or every process killed. ${lost}]`;
  return timedOut ? `[timed out after ${timeoutMs}ms]` : `[exit code: ${exitCode ?? 'none'}]`;
}
