import { HarnessError } from '../../../harness/llm/errors.ts';
import type { BashExecutor } from '../../../seams/bash/executor.ts';
import type { SandboxExecutionPolicy } from '../../../seams/sandbox/types.ts';
import { runOrLose } from './run-or-lose.ts';

const LIMIT_SECONDS = 10;

/**
 * Ends every process of the sandbox but its first one, the one that runs commands, and this shell. Only what is built into
 * bash: where no process more can be made it works as well. A name may hold spaces, brackets and line ends, hence the
 * reading of all of `stat` up to its last bracket. `loadavg` ends in the newest process id: where that moved during a round,
 * a process may have passed itself on unseen, and another round is due.
 */
export const END_PROCESSES = `
while :; do
  left=
  read -r _ _ _ _ newest </proc/loadavg
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/} stat=
    case $pid in 1 | $$ | $PPID) continue ;; esac
    { read -r -d '' stat <"$folder/stat"; } 2>/dev/null
    case \${stat##*) } in '' | Z* | X*) continue ;; esac
    left=$pid
    kill -KILL "$pid" 2>/dev/null
  done
  read -r _ _ _ _ newer </proc/loadavg
  [ -z "$left" ] && [ "$newest" = "$newer" ] && exit 0
  [ "$SECONDS" -ge ${LIMIT_SECONDS} ] && exit 1
done`.trim();

export interface ProcessPlace {
  readonly bash: BashExecutor;
  readonly policy: SandboxExecutionPolicy;
  readonly signal: AbortSignal;
}

/**
 * What earlier commands left running could change the tree while it is verified, or after: none of it goes on. An executor
 * that does not confine is left alone, for its processes are everybody's.
 *
 * @throws HarnessError `PROCESSES_SURVIVED`
 */
export async function endProcesses({ bash, policy, signal }: ProcessPlace): Promise<void> {
  if (bash.sandboxMode === undefined) return;
  const timeoutMs = 2 * LIMIT_SECONDS * 1000;
  const workdir = policy.workspaceRoot;
  const request = { command: END_PROCESSES, workdir, timeoutMs, signal, sandboxPolicy: policy };
  const spec = bash.resolve(request);
  const first = await runOrLose(bash, spec);
  // A sandbox that was lost took them along; the next one is asked, for there must be one.
  const { exitCode } = first.lost === undefined ? first : await bash.run(spec);
  signal.throwIfAborted();
  if (exitCode === 0) return;
  const text = 'processes that the work left running could not be ended, so nothing can be done beside them';
  throw new HarnessError(text, 'PROCESSES_SURVIVED');
}
