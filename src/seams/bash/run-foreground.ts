import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { TOOL_ABORTED } from '../../harness/tools/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { mayEscalate } from '../sandbox/call-policy.ts';
import { bashAdvice, missingCommand } from './advice.ts';
import type { BashSetup } from './bash-setup.ts';
import type { BashExecRequest, BashRunResult, CollectedOutput, TreeGrowth } from './executor.ts';
import { byteLength, fitOutput, shareBudget } from './fit-output.ts';
import { bashResultText } from './result-text.ts';
import type { ShownOutput } from './result-text.ts';
import { shellQuote } from './shell-quote.ts';
import { storeFullText } from './store-full-text.ts';
import { toolKin } from './tool-kin.ts';

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Runs a command to its end. A failing command is a result like any other.
 * @throws HarnessError when it could not run, or was aborted
 */
export async function runForeground(
  ctx: Context,
  exec: ToolExecution,
  request: BashExecRequest,
  setup: BashSetup,
): Promise<string> {
  const result = await ctx.bash.run(ctx.bash.resolve({ ...request, signal: exec.signal }));
  const [stdout, stderr] = await shownStreams(ctx, exec, result, setup.maxOutputBytes);
  const escalation = mayEscalate(ctx, exec, setup.escalation);
  const advice = await adviceFor(ctx, request, result, { ...setup, escalation });
  const text = bashResultText(result, { stdout, stderr, escalation, advice });
  if (result.aborted) throw aborted(text);
  if (result.sandbox?.overgrown) throw overgrown(result.sandbox.overgrown, text);
  return text;
}

async function shownStreams(
  ctx: Context,
  exec: ToolExecution,
  { stdout, stderr }: BashRunResult,
  maxBytes: number,
): Promise<[ShownOutput, ShownOutput]> {
  const [forStdout, forStderr] = shareBudget(sizeOf(stdout), sizeOf(stderr), maxBytes);
  return [await shown(ctx, exec, 'stdout', stdout, forStdout), await shown(ctx, exec, 'stderr', stderr, forStderr)];
}

function sizeOf({ text, head = '' }: CollectedOutput): number {
  return byteLength(text) + byteLength(head);
}

async function shown(
  ctx: Context,
  exec: ToolExecution,
  label: string,
  output: CollectedOutput,
  maxBytes: number,
): Promise<ShownOutput> {
  const fitted = fitOutput(output, maxBytes);
  if (!fitted.cut) return fitted;
  const fullOutput = output.spillPath ?? (await spilled(ctx, exec, label, output));
  return { ...fitted, ...(fullOutput !== undefined && { fullOutput }) };
}

/** What the executor has cut itself is not whole any more: only it could have kept the rest. */
async function spilled(
  ctx: Context,
  exec: ToolExecution,
  label: string,
  { text, truncated }: CollectedOutput,
): Promise<string | undefined> {
  if (truncated) return undefined;
  const stored = await storeFullText(ctx, exec, label, text);
  return stored?.locator;
}

async function adviceFor(
  ctx: Context,
  request: BashExecRequest,
  result: BashRunResult,
  setup: BashSetup,
): Promise<string[]> {
  const missing = missingCommand(result);
  const kin = missing === undefined ? [] : await installedKin(ctx, request, missing);
  return bashAdvice(result, { ...setup, network: request.sandboxPolicy?.network ?? setup.network, kin });
}

async function installedKin(ctx: Context, request: BashExecRequest, missing: string): Promise<string[]> {
  const candidates = toolKin(missing);
  if (candidates.length === 0) return [];
  const command = `for name in ${candidates.map(shellQuote).join(' ')}; do command -v "$name" >/dev/null && echo "$name"; done; true`;
  const probe = await ctx.bash.run(ctx.bash.resolve({ ...request, command, timeoutMs: PROBE_TIMEOUT_MS }));
  return probe.stdout.text.split('\n').filter((name) => candidates.includes(name));
}

function overgrown({ bytes, maxBytes }: TreeGrowth, text: string): HarnessError {
  const [has, may] = [bytes, maxBytes].map((size) => `${Math.ceil(size / 1024 ** 2)} MiB`);
  const message = `commands have put ${has} into the work tree, the limit is ${may}; a command that goes on is stopped — delete what is not needed first`;
  return new HarnessError(`${message}\n${text}`, 'BASH_TREE_OVERGROWN');
}

function aborted(text: string): HarnessError {
  const error = new HarnessError(`the command was aborted\n${text}`, TOOL_ABORTED);
  error.name = 'AbortError';
  return error;
}
