import type { Agent } from '../../harness/agent/types.ts';
import type { Context } from '../../harness/kernel/context.ts';
import { errorChain, HarnessError } from '../../harness/llm/errors.ts';
import { TOOL_ABORTED_BEFORE_DISPATCH } from '../../harness/tools/errors.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import { answerOf } from './answer-of.ts';
import type { SubagentResult, SubagentRun, SubagentStartRequest } from './types.ts';
import './subagent-service.ts';

/** What is needed of the task runtime: its checks come first, then `run` is called once. */
interface BackgroundTasks {
  start(spec: { kind: 'subagent'; label: string; owner: Agent; run(): TaskHooks }): string;
}
interface TaskHooks {
  cancel(reason?: string): void;
  /** After the child is gone; never rejects. */
  done: Promise<TaskOutcome>;
}
interface TaskOutcome {
  status: 'completed' | 'killed' | 'failed';
  detail?: string;
  output?: string;
}

/**
 * Starts a child as a task, under a signal of its own, and returns what the model is told.
 * @throws HarnessError where no task can be held, or the call is aborted already
 */
export function startBackgroundRun(
  ctx: Context,
  provider: string,
  request: SubagentStartRequest,
  { signal }: Pick<ToolExecution, 'signal'>,
): string {
  const tasks = ctx.get('tasks') as BackgroundTasks | undefined;
  if (!tasks) {
    throw new HarnessError('there is no task runtime for it — run it in the foreground', 'BACKGROUND_UNAVAILABLE');
  }
  if (signal.aborted) {
    throw new HarnessError('the call was aborted before the subagent started', TOOL_ABORTED_BEFORE_DISPATCH);
  }
  const { parent: owner, label = 'subagent' } = request;
  const id = tasks.start({ kind: 'subagent', label, owner, run: () => runInBackground(ctx, provider, request) });
  return `started background subagent task ${id}`;
}

function runInBackground(ctx: Context, provider: string, request: SubagentStartRequest): TaskHooks {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    cancel: () => controller.abort(),
    done: settle(ctx.subagents.start(provider, { ...request, signal }), signal),
  };
}

/** The child may still be starting when it is killed. What fails in disposing it does not hide what it came to. */
async function settle(starting: Promise<SubagentRun>, signal: AbortSignal): Promise<TaskOutcome> {
  const failures: unknown[] = [];
  const keep = (error: unknown) => void failures.push(error);
  const run = await starting.catch(keep);
  const result = await run?.result.catch(keep);
  await run?.dispose().catch(keep);
  if (failures.length > 0) return failed(failures, signal);
  return outcomeOf(result!);
}

function failed(failures: readonly unknown[], { aborted }: AbortSignal): TaskOutcome {
  const detail = failures.map(errorChain).join('; ');
  return { status: aborted ? 'killed' : 'failed', detail };
}

function outcomeOf(result: SubagentResult): TaskOutcome {
  switch (result.stopReason) {
    case 'completed':
      return { status: 'completed', output: answerOf(result) };
    case 'aborted':
      return { status: 'killed' };
    default:
      return { status: 'failed', detail: result.stopReason };
  }
}
