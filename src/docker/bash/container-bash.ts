import { HarnessError } from '../../harness/llm/errors.ts';
import { BASH_SPAWN_FAILED, BashExecutor } from '../../seams/bash/executor.ts';
import type {
  BashExecRequest,
  BashExecSpec,
  BashProcess,
  BashRunResult,
  TreeGrowth,
} from '../../seams/bash/executor.ts';
import { bashExecutorConfig, resolveBashRequest } from '../../seams/bash/resolve-request.ts';
import type { BashExecutorConfig } from '../../seams/bash/resolve-request.ts';
import type { SandboxExecutionPolicy, SandboxMode } from '../../seams/sandbox/types.ts';
import { SpawnRefused } from '../agent-client.ts';
import type { CommandExit } from '../agent-client.ts';
import type { SpawnRequest } from '../agent/protocol.ts';
import { WORKSPACE } from '../agent/protocol.ts';
import type { SandboxHandle } from '../sandbox-handle.ts';
import { agentFor } from '../sandbox-handle.ts';
import type { AgentLease } from '../sandbox.ts';
import { commandEnvironment } from './command-environment.ts';
import type { EnvironmentSources } from './command-environment.ts';
import { CommandRun } from './command-run.ts';
import type { CommandStreams } from './command-run.ts';
import { ContainerProcess } from './container-process.ts';
import { isDenied } from './is-denied.ts';
import { OutputCollector } from './output-collector.ts';
import { SpillFile } from './spill-file.ts';
import { SpillRoom } from './spill-room.ts';
import { GrowthWatch } from './tree-growth.ts';
import type { GrowthLimit } from './tree-growth.ts';

export interface ContainerBashConfig extends Partial<Omit<BashExecutorConfig, 'cwd'>> {
  environment?: Pick<EnvironmentSources, 'config' | 'allowedNames'>;
  /** The session's spill directory on the host. */
  spillDir?: string;
  /** Takes secrets out of what is written there. */
  redact?: (text: string) => string;
  /** How much commands may put into the work tree. */
  growth?: GrowthLimit;
}

const MAX_COMMAND_BYTES = 32 * 1024;
const MAX_BACKGROUND = 10;
/** What leaves the container of a stream that no spill file will hold, before only its tail does. */
const LIVE_BYTES = 1024 * 1024;

/** Runs commands in a session's container. */
export class ContainerBashExecutor extends BashExecutor {
  readonly #handle: SandboxHandle;
  readonly #config: BashExecutorConfig;
  readonly #own: ContainerBashConfig;
  readonly #growth: GrowthWatch | undefined;
  readonly #spillRoom: SpillRoom | undefined;
  readonly #background = new Set<BashProcess>();

  constructor(handle: SandboxHandle, config: ContainerBashConfig = {}) {
    super();
    const { environment: _environment, spillDir, redact: _redact, growth, ...limits } = config;
    this.#handle = handle;
    this.#own = config;
    this.#growth = growth && new GrowthWatch(growth);
    this.#spillRoom = spillDir === undefined ? undefined : new SpillRoom(spillDir);
    this.#config = bashExecutorConfig({ ...limits, cwd: WORKSPACE });
  }

  override get sandboxMode(): SandboxMode {
    return this.#handle.mode;
  }

  resolve(request: BashExecRequest): BashExecSpec {
    const bytes = Buffer.byteLength(request.command);
    if (bytes > MAX_COMMAND_BYTES) {
      const text = `the command has ${bytes} bytes, the limit is ${MAX_COMMAND_BYTES} — write a script file and run that`;
      throw new HarnessError(text, 'INVALID_ARGS');
    }
    return resolveBashRequest(request, this.#config);
  }

  async run(spec: BashExecSpec): Promise<BashRunResult> {
    const streams = this.#streams(spec.stdoutMaxBytes);
    let endedBy: EndCause | undefined;
    let timer: NodeJS.Timeout | undefined;
    let stopListening = () => {};
    let overgrown: TreeGrowth | undefined;
    let stopWatching: (() => void) | undefined;
    try {
      const command = await this.#spawn(spec, streams);
      const end = (cause: EndCause) => {
        endedBy ??= cause;
        command.kill();
      };
      timer = setTimeout(end, spec.timeoutMs, 'timeout');
      stopListening = onAbort(spec.signal, () => end('abort'));
      stopWatching = this.#growth?.watch((growth) => {
        overgrown = growth;
        end('growth');
      });
      const exit = await command.done;
      overgrown ??= await this.#growth?.look();
      return this.#result(spec, exit, streams, { endedBy, overgrown });
    } catch (cause) {
      streams.stdout.finish();
      streams.stderr.finish();
      throw spawnFailure(cause, spec.signal);
    } finally {
      clearTimeout(timer);
      stopListening();
      stopWatching?.();
    }
  }

  start(spec: BashExecSpec): BashProcess {
    if (this.#background.size >= MAX_BACKGROUND) {
      const text = `${MAX_BACKGROUND} background commands are running, more are not allowed — end one first`;
      throw new HarnessError(text, 'BASH_TOO_MANY_PROCESSES');
    }
    const streams = this.#streams(this.#config.maxOutputBytes);
    const process = new ContainerProcess({
      mode: spec.sandboxPolicy?.mode ?? this.sandboxMode,
      streams,
      ...(spec.signal && { signal: spec.signal }),
      spawn: () => this.#spawn(spec, streams),
      ...(this.#growth && { growth: this.#growth }),
    });
    this.#background.add(process);
    void process.done.then(() => this.#background.delete(process));
    return process;
  }

  /** Ends all background commands and waits until they are gone. */
  async dispose(): Promise<void> {
    const running = [...this.#background];
    for (const process of running) process.kill();
    await Promise.all(running.map(({ done }) => done));
  }

  async #spawn(spec: BashExecSpec, streams: CommandStreams): Promise<CommandRun> {
    spec.signal?.throwIfAborted();
    const lease = await this.#lease(spec.sandboxPolicy, spec.signal);
    await this.#growth?.begin().catch(async (cause: unknown) => {
      await lease.release();
      throw cause;
    });
    return new CommandRun(lease, this.#request(spec), {
      ...(spec.stdin !== undefined && { stdin: spec.stdin }),
      streams,
      graceMs: this.#config.graceMs,
    });
  }

  /** One that comes too late is released at once. */
  async #lease(policy: SandboxExecutionPolicy | undefined, signal: AbortSignal | undefined): Promise<AgentLease> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const stopListening = onAbort(signal, () => reject(signal!.reason));
    const leasing = agentFor(this.#handle, policy);
    try {
      return await Promise.race([leasing, aborted]);
    } catch (cause) {
      leasing.then(({ release }) => release()).catch(() => {});
      throw cause;
    } finally {
      stopListening();
    }
  }

  #request(spec: BashExecSpec): SpawnRequest {
    const { maxSpillBytes, maxOutputBytes, graceMs } = this.#config;
    const tailBytes = Math.max(maxOutputBytes, spec.stdoutMaxBytes);
    return {
      op: 'spawn',
      argv: ['bash', '-c', spec.command],
      cwd: spec.workdir,
      env: commandEnvironment({ ...this.#own.environment, ...spec, hasNetwork: this.#hasNetwork(spec) }),
      caps: {
        forwardBytes: this.#own.spillDir === undefined ? Math.max(LIVE_BYTES, tailBytes) : maxSpillBytes,
        tailBytes,
      },
      stdin: spec.stdin !== undefined,
      drainMs: graceMs,
    };
  }

  #hasNetwork({ sandboxPolicy }: BashExecSpec): boolean {
    return (sandboxPolicy?.network ?? this.#handle.network ?? 'none') !== 'none';
  }

  #streams(stdoutMaxBytes: number): CommandStreams {
    return {
      stdout: new OutputCollector(stdoutMaxBytes, this.#spill('stdout')),
      stderr: new OutputCollector(this.#config.maxOutputBytes, this.#spill('stderr')),
    };
  }

  #spill(label: string): SpillFile | undefined {
    const { spillDir, redact } = this.#own;
    if (spillDir === undefined || !this.#spillRoom) return undefined;
    const { maxSpillBytes: maxBytes } = this.#config;
    const place = { hostDir: spillDir, maxBytes, room: this.#spillRoom, ...(redact && { redact }) };
    return new SpillFile(place, label);
  }

  #result(
    { timeoutMs, sandboxPolicy }: BashExecSpec,
    { exitCode, signal, oomKilled }: CommandExit,
    streams: CommandStreams,
    { endedBy, overgrown }: { endedBy: EndCause | undefined; overgrown: TreeGrowth | undefined },
  ): BashRunResult {
    if (oomKilled) streams.stderr.push(OOM_NOTE);
    const stderr = streams.stderr.finish();
    return {
      exitCode,
      signal: signal as NodeJS.Signals | null,
      timedOut: endedBy === 'timeout',
      aborted: endedBy === 'abort',
      timeoutMs,
      stdout: streams.stdout.finish(),
      stderr,
      sandbox: {
        mode: sandboxPolicy?.mode ?? this.sandboxMode,
        denied: isDenied({ exitCode, stderr: stderr.text }),
        enforcement: 'full',
        ...(overgrown && { overgrown }),
      },
    };
  }
}

/** Why a command was told to end. */
type EndCause = 'timeout' | 'abort' | 'growth';

const OOM_NOTE = Buffer.from('\n[the memory limit of the sandbox was reached and the kernel ended a process]\n');

/** What the caller sees when a command never ran. A lost sandbox keeps its own words. */
function spawnFailure(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (cause instanceof SpawnRefused) {
    return new HarnessError(`the command could not be started: ${cause.message}`, BASH_SPAWN_FAILED, { cause });
  }
  const isAbort = signal?.aborted && cause === signal.reason;
  return isAbort ? new HarnessError('aborted before the command was started', BASH_SPAWN_FAILED, { cause }) : cause;
}

function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) queueMicrotask(listener);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
