import type { Context, Plugin } from '../kernel/context.ts';
import { ToolTimeoutError } from './errors.ts';
import { resultOfThrown } from './tool-results.ts';
import type { ToolDispatchExecution, ToolExecutionResult } from './types.ts';

/** Calls `onFire` once after `delayMs` unless the returned function was called before. */
export type StartTimer = (delayMs: number, onFire: () => void) => () => void;

const systemTimer: StartTimer = (delayMs, onFire) => {
  const timer = setTimeout(onFire, delayMs);
  return () => clearTimeout(timer);
};

/** A policy that holds tools to their `timeoutMs`. The call still ends only when its body does. */
export function timeoutPolicyPlugin(startTimer: StartTimer): Plugin {
  return {
    name: 'timeout-policy',
    inject: ['tools'],
    apply(ctx: Context): void {
      ctx.on('tools/execute', (exec, next) => {
        const timeoutMs = ctx.tools.get(exec.name, exec.agent)?.timeoutMs;
        return timeoutMs === undefined ? next() : runWithin(timeoutMs, exec, next, startTimer);
      });
    },
  };
}

export const timeoutPolicy = timeoutPolicyPlugin(systemTimer);

async function runWithin(
  timeoutMs: number,
  exec: ToolDispatchExecution,
  next: () => Promise<ToolExecutionResult>,
  startTimer: StartTimer,
): Promise<ToolExecutionResult> {
  const outer = exec.signal;
  const timeout = new AbortController();
  const error = new ToolTimeoutError(timeoutMs);
  const stopTimer = startTimer(timeoutMs, () => {
    if (!outer.aborted) timeout.abort(error);
  });
  exec.signal = AbortSignal.any([outer, timeout.signal]);
  try {
    const result = await next();
    return timeout.signal.aborted ? resultOfThrown(error) : result;
  } finally {
    stopTimer();
    exec.signal = outer;
  }
}
