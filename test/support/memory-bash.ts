import { setTimeout as sleep } from 'node:timers/promises';
import { HarnessError } from '../../src/harness/llm/errors.ts';
import { BASH_SPAWN_FAILED, BashExecutor } from '../../src/seams/bash/executor.ts';
import type {
  BashExecRequest,
  BashExecSpec,
  BashProcess,
  BashRunResult,
  CollectedOutput,
} from '../../src/seams/bash/executor.ts';
import { bashExecutorConfig, resolveBashRequest } from '../../src/seams/bash/resolve-request.ts';
import type { BashExecutorConfig } from '../../src/seams/bash/resolve-request.ts';
import type { SandboxMode } from '../../src/seams/sandbox/types.ts';

/** What a command does. `onTerm` is the code it exits with when told to end; without it the signal ends it. */
export interface MemoryCommand {
  stdout?: string;
  stderr?: string;
  exitCode?: number;
  signal?: NodeJS.Signals;
  durationMs?: number;
  onTerm?: number;
  denied?: boolean;
  spillPath?: string;
}
export type MemoryScript = MemoryCommand | ((spec: BashExecSpec) => MemoryCommand);

export interface MemoryBashOptions extends Partial<BashExecutorConfig> {
  mode?: SandboxMode;
  /** Directories in which nothing can run. */
  missing?: string[];
}

/** Plays commands from a table. What is not in it is a command that does not exist. */
export class MemoryBash extends BashExecutor {
  readonly specs: BashExecSpec[] = [];
  readonly #scripts: Record<string, MemoryScript>;
  readonly #config: BashExecutorConfig;
  readonly #mode: SandboxMode | undefined;
  readonly #missing: readonly string[];

  constructor(scripts: Record<string, MemoryScript> = {}, { mode, missing = [], ...config }: MemoryBashOptions = {}) {
    super();
    this.#scripts = scripts;
    this.#config = bashExecutorConfig({ cwd: '/workspace', ...config });
    this.#mode = mode;
    this.#missing = missing;
  }

  override get sandboxMode(): SandboxMode | undefined {
    return this.#mode;
  }

  resolve(request: BashExecRequest): BashExecSpec {
    return resolveBashRequest(request, this.#config);
  }

  async run(spec: BashExecSpec): Promise<BashRunResult> {
    this.specs.push(spec);
    if (spec.signal?.aborted) throw new HarnessError('aborted before the spawn', BASH_SPAWN_FAILED);
    if (this.#missing.includes(spec.workdir)) throw new HarnessError(`no directory ${spec.workdir}`, BASH_SPAWN_FAILED);
    const command = this.#commandOf(spec);
    const cause = await endOf(command, spec);
    return {
      ...exitOf(command, cause !== undefined),
      timedOut: cause === 'timeout',
      aborted: cause === 'abort',
      timeoutMs: spec.timeoutMs,
      stdout: tailOf(command.stdout, spec.stdoutMaxBytes, command.spillPath),
      stderr: tailOf(command.stderr, this.#config.maxOutputBytes),
      sandbox: { mode: spec.sandboxPolicy?.mode ?? 'danger-full-access', denied: command.denied ?? false },
    };
  }

  start(spec: BashExecSpec): BashProcess {
    this.specs.push(spec);
    const failed = this.#missing.includes(spec.workdir) ? `no directory ${spec.workdir}` : undefined;
    return new MemoryProcess(failed === undefined ? this.#commandOf(spec) : { stderr: failed, signal: 'SIGKILL' });
  }

  #commandOf(spec: BashExecSpec): MemoryCommand {
    const script = Object.hasOwn(this.#scripts, spec.command) ? this.#scripts[spec.command] : undefined;
    if (typeof script === 'function') return script(spec);
    return script ?? { exitCode: 127, stderr: `bash: line 1: ${spec.command.split(' ')[0]}: command not found\n` };
  }
}

type EndCause = 'timeout' | 'abort' | undefined;

async function endOf({ durationMs = 0 }: MemoryCommand, { timeoutMs, signal }: BashExecSpec): Promise<EndCause> {
  if (durationMs > timeoutMs && !signal) return sleep(timeoutMs, 'timeout' as const);
  try {
    const cause = durationMs > timeoutMs ? ('timeout' as const) : undefined;
    return await sleep(Math.min(durationMs, timeoutMs), cause, { ...(signal && { signal }) });
  } catch {
    return 'abort';
  }
}

function exitOf(command: MemoryCommand, wasKilled: boolean): Pick<BashRunResult, 'exitCode' | 'signal'> {
  if (wasKilled) {
    return command.onTerm === undefined
      ? { exitCode: null, signal: 'SIGTERM' }
      : { exitCode: command.onTerm, signal: null };
  }
  return command.signal
    ? { exitCode: null, signal: command.signal }
    : { exitCode: command.exitCode ?? 0, signal: null };
}

function tailOf(text = '', maxBytes: number, spillPath?: string): CollectedOutput {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, truncated: false };
  const tail = bytes.toString('utf8', bytes.length - maxBytes);
  return { text: tail, truncated: true, ...(spillPath !== undefined && { spillPath }) };
}

class MemoryProcess implements BashProcess {
  status: BashProcess['status'] = 'running';
  exitCode: number | null = null;
  signal: NodeJS.Signals | null = null;
  readonly done: Promise<void>;
  readonly #killed = new AbortController();
  readonly #command: MemoryCommand;
  #unread: string;

  constructor(command: MemoryCommand) {
    this.#command = command;
    this.#unread = `${command.stdout ?? ''}${command.stderr ? `[stderr]\n${command.stderr}` : ''}`;
    this.done = this.#play();
  }

  readOutput(): { delta: string; lossy: boolean } {
    const delta = this.#unread;
    this.#unread = '';
    return { delta, lossy: false };
  }

  kill(): boolean {
    if (this.status !== 'running') return false;
    this.#killed.abort();
    return true;
  }

  async #play(): Promise<void> {
    const { signal } = this.#killed;
    const wasKilled = await sleep(this.#command.durationMs ?? 0, false, { signal }).catch(() => true);
    Object.assign(this, exitOf(this.#command, wasKilled));
    this.status = wasKilled || this.signal ? 'killed' : 'completed';
  }
}
