import type { BashExecutor, BashRunResult } from '../seams/bash/executor.ts';
import { shellQuote } from '../seams/bash/shell-quote.ts';
import type { SandboxExecutionPolicy } from '../seams/sandbox/types.ts';
import type { VerifyRun } from '../publish/plan-pull-request.ts';

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
  readonly durationMs: number;
}
export interface Verification {
  readonly runs: readonly VerifyRun[];
  /** A failure that the change brought, with its output, for the model. */
  readonly newFailure: { readonly command: string; readonly output: string } | undefined;
}

/** Where the base is laid out beside the work tree; the container's own memory, gone with it. */
const BASE_TREE = '/tmp/dsh-base';
/** Kept of each end of a failing command's output: together 4,000 tokens (PR32). */
const SHOWN_CHARS = 8_000;

/** Runs the verification on the change, and what fails there on the base as well, to tell old failures apart (F2, F3). */
export async function verify(commands: readonly string[], place: VerifyPlace): Promise<Verification> {
  const runs: VerifyRun[] = [];
  let newFailure: Verification['newFailure'];
  for (const command of commands) {
    const result = await run(command, place.policy.workspaceRoot, false, place);
    const facts = { command, exitCode: result.exitCode, timedOut: result.timedOut };
    if (passed(result)) {
      runs.push(facts);
      continue;
    }
    const failsOnBase = await failsOnTheBase(command, place);
    runs.push({ ...facts, failsOnBase });
    if (!failsOnBase) newFailure ??= { command, output: describeFailure(result) };
  }
  return { runs, newFailure };
}

function passed(result: BashRunResult): boolean {
  return result.exitCode === 0 && !result.timedOut;
}

/** The installed dependencies are shared: only the sources differ. */
async function failsOnTheBase(command: string, place: VerifyPlace): Promise<boolean> {
  const { workspaceRoot } = place.policy;
  const lay = [
    `rm -rf ${BASE_TREE} && mkdir -p ${BASE_TREE}`,
    `git archive ${shellQuote(place.baseSha)} | tar -x -C ${BASE_TREE}`,
    `if [ -d ${shellQuote(workspaceRoot)}/node_modules ]; then ln -s ${shellQuote(workspaceRoot)}/node_modules ${BASE_TREE}/node_modules; fi`,
  ].join(' && ');
  const laid = await place.bash.run(place.bash.resolve({ command: lay, workdir: workspaceRoot, signal: place.signal, sandboxPolicy: place.policy }));
  if (!passed(laid)) return false; // unknown counts against the change
  return !passed(await run(command, BASE_TREE, true, place));
}

async function run(command: string, workdir: string, onBase: boolean, place: VerifyPlace): Promise<BashRunResult> {
  const { bash, policy, timeoutMs, signal } = place;
  const startedAt = performance.now();
  const result = await bash.run(bash.resolve({ command, workdir, timeoutMs, signal, sandboxPolicy: policy }));
  signal.throwIfAborted();
  place.record({ command, result, onBase, durationMs: Math.round(performance.now() - startedAt) });
  return result;
}

function describeFailure(result: BashRunResult): string {
  const output = [result.stdout.text, result.stderr.text].filter(Boolean).join('\n');
  const cut = output.length <= SHOWN_CHARS * 2 ? output : `${output.slice(0, SHOWN_CHARS)}\n[…]\n${output.slice(-SHOWN_CHARS)}`;
  return `${cut}\n${result.timedOut ? `[timed out after ${result.timeoutMs}ms]` : `[exit code: ${result.exitCode ?? 'none'}]`}`;
}
