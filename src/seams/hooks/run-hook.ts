import { errorChain } from '../../harness/llm/errors.ts';
import type { BashExecutor, BashRunResult } from '../bash/executor.ts';
import type { SandboxExecutionPolicy } from '../sandbox/types.ts';
import { decodeHookOutput } from './decode-output.ts';
import type { HookExit } from './decode-output.ts';
import type { CommandHook, HookOutput } from './types.ts';

/** What a run needs of the shell seam. */
export type HookShell = Pick<BashExecutor, 'resolve' | 'run'>;

export interface RunHookOptions {
  /** Lossless JSON for the hook's standard input. */
  readonly payload: unknown;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly sandboxPolicy?: SandboxExecutionPolicy;
  readonly signal: AbortSignal;
  readonly trailingNewline: boolean;
  readonly defaultTimeoutMs: number;
  readonly expectedEventName?: string;
}

export interface RunHookResult {
  output: HookOutput;
  durationMs: number;
}

/** An answer may be long, and one that lost its head could not be read. */
const STDOUT_MAX_BYTES = 1024 * 1024;

/** Runs one hook to its end. Never rejects: a hook that could not run, or was ended, has decided nothing. */
export async function runHook(shell: HookShell, hook: CommandHook, options: RunHookOptions): Promise<RunHookResult> {
  const startedAt = performance.now();
  const exit = await exitOf(shell, hook, options);
  const durationMs = Math.round(performance.now() - startedAt);
  return { output: decodeHookOutput(exit, options.expectedEventName), durationMs };
}

async function exitOf(shell: HookShell, hook: CommandHook, options: RunHookOptions): Promise<HookExit> {
  const { payload, env, cwd, sandboxPolicy, signal, trailingNewline, defaultTimeoutMs } = options;
  try {
    const spec = shell.resolve({
      command: hook.command,
      timeoutMs: hook.timeoutSec === undefined ? defaultTimeoutMs : hook.timeoutSec * 1000,
      stdin: `${JSON.stringify(payload)}${trailingNewline ? '\n' : ''}`,
      stdoutMaxBytes: STDOUT_MAX_BYTES,
      signal,
      ...(env && { env }),
      ...(cwd !== undefined && { workdir: cwd }),
      ...(sandboxPolicy && { sandboxPolicy }),
    });
    return ownExit(await shell.run(spec));
  } catch (error) {
    return { exitCode: undefined, stdout: '', stderr: `the hook could not run: ${errorChain(error)}` };
  }
}

/** The code with which a hook answers being ended is not its verdict. */
function ownExit({ exitCode, timedOut, aborted, timeoutMs, stdout, stderr }: BashRunResult): HookExit {
  const note = timedOut ? `timed out after ${timeoutMs} ms` : aborted ? 'ended with its turn' : '';
  return {
    exitCode: note ? undefined : (exitCode ?? undefined),
    stdout: stdout.text,
    stderr: [stderr.text.trim(), note].filter(Boolean).join('\n'),
  };
}
