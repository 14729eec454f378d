import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { TOOL_ABORTED_BEFORE_DISPATCH } from '../../harness/tools/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { holdSandboxMode } from '../sandbox/sandbox-mode.ts';
import type { BashExecRequest, BashProcess } from './executor.ts';

/** What is needed of the task runtime: its checks come first, then `run` is called once. */
interface BackgroundTasks {
  start(spec: { kind: 'bash'; label: string; owner?: Agent; run(): TaskHooks }): string;
}
interface TaskHooks {
  cancel(reason?: string): void;
  done: Promise<TaskOutcome>;
  readOutput(): string;
}
export interface TaskOutcome {
  status: 'completed' | 'killed';
  detail: string;
}

/**
 * Starts a command as a task and returns what the model is told. From here on it belongs to the task, not to the call.
 * @throws HarnessError when background work is off, nothing can hold the task, or the call is already aborted
 */
export function startInBackground(
  ctx: Context,
  exec: ToolExecution,
  request: BashExecRequest,
  { enabled, label }: { enabled: boolean; label: string },
): string {
  if (!enabled)
    throw unavailable('run_in_background is switched off here — run it in the foreground, bounded by timeoutMs');
  const tasks = ctx.get('tasks') as BackgroundTasks | undefined;
  if (!tasks) throw unavailable('there is no task runtime for run_in_background — run it in the foreground');
  if (exec.signal.aborted)
    throw new HarnessError('the call was aborted before the command started', TOOL_ABORTED_BEFORE_DISPATCH);

  const { agent: owner } = exec;
  const spec = ctx.bash.resolve(request);
  const run = () => hooksOf(heldBy(ctx.bash.start(spec), exec, request, label));
  const id = tasks.start({ kind: 'bash', label, ...(owner && { owner }), run });
  return `started background task ${id}`;
}

/** While it runs, its session cannot be narrowed below the mode of its container. */
function heldBy(
  process: BashProcess,
  { agent }: ToolExecution,
  { sandboxPolicy }: BashExecRequest,
  label: string,
): BashProcess {
  if (!agent || !sandboxPolicy) return process;
  void process.done.then(holdSandboxMode(agent.session, sandboxPolicy.mode, `background command "${label}"`));
  return process;
}

function hooksOf(process: BashProcess): TaskHooks {
  return {
    cancel: () => void process.kill(),
    done: process.done.then(() => taskOutcome(process)),
    readOutput: () => readText(process),
  };
}

/** A command that fails has still completed; one that a signal ended has not. */
export function taskOutcome({ status, signal, exitCode }: BashProcess): TaskOutcome {
  if (status === 'killed') return { status, detail: signal ? `signal: ${signal}` : 'killed before exit' };
  return { status: 'completed', detail: `exit code: ${exitCode}` };
}

function readText(process: BashProcess): string {
  const { delta, lossy, stdoutSpillPath, stderrSpillPath } = process.readOutput();
  if (!lossy) return delta;
  const paths = [stdoutSpillPath, stderrSpillPath].filter((path) => path !== undefined);
  return `[earlier output was dropped; full output: ${paths.join(', ') || '(unavailable)'}]\n${delta}`;
}

function unavailable(message: string): HarnessError {
  return new HarnessError(message, 'BACKGROUND_UNAVAILABLE');
}
