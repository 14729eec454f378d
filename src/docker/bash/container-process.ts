import type {
  BashProcess,
  BashProcessRead,
  BashProcessStatus,
  BashSandboxInfo,
  TreeGrowth,
} from '../../seams/bash/executor.ts';
import type { SandboxMode } from '../../seams/sandbox/types.ts';
import { isSandboxUnavailable } from '../errors.ts';
import type { CommandRun, CommandStreams } from './command-run.ts';
import { isDenied } from './is-denied.ts';
import type { GrowthWatch } from './tree-growth.ts';

export interface ContainerProcessOptions {
  mode: SandboxMode;
  streams: CommandStreams;
  signal?: AbortSignal;
  spawn(): Promise<CommandRun>;
  growth?: GrowthWatch;
}

/** A command in the background. It may be told to end before it has begun. */
export class ContainerProcess implements BashProcess {
  status: BashProcessStatus = 'running';
  exitCode: number | null = null;
  signal: NodeJS.Signals | null = null;
  sandbox?: BashSandboxInfo;
  readonly done: Promise<void>;
  readonly #options: ContainerProcessOptions;
  #run: CommandRun | undefined;
  #isEnding = false;

  constructor(options: ContainerProcessOptions) {
    this.#options = options;
    this.done = this.#work();
  }

  readOutput(): BashProcessRead {
    const { stdout, stderr } = this.#options.streams;
    const [out, err] = [stdout.readNew(), stderr.readNew()];
    const lossy = out.lossy || err.lossy;
    return {
      delta: out.text + (err.text === '' ? '' : `[stderr]\n${err.text}`),
      lossy,
      ...(lossy && stdout.spillPath !== undefined && { stdoutSpillPath: stdout.spillPath }),
      ...(lossy && stderr.spillPath !== undefined && { stderrSpillPath: stderr.spillPath }),
    };
  }

  kill(): boolean {
    if (this.status !== 'running') return false;
    this.#isEnding = true;
    this.#run?.kill();
    return true;
  }

  async #work(): Promise<void> {
    const { signal, spawn, streams, mode, growth } = this.#options;
    let overgrown: TreeGrowth | undefined;
    const stopWatching = growth?.watch((found) => {
      overgrown = found;
      this.kill();
    });
    const end = () => void this.kill();
    signal?.addEventListener('abort', end, { once: true });
    try {
      this.#run = await spawn();
      if (this.#isEnding) this.#run.kill();
      const exit = await this.#run.done;
      this.exitCode = exit.exitCode;
      this.signal = exit.signal as NodeJS.Signals | null;
      const stderr = streams.stderr.finish().text;
      overgrown ??= await growth?.look();
      const denied = isDenied({ exitCode: exit.exitCode, stderr });
      this.sandbox = { mode, denied, enforcement: 'full', ...(overgrown && { overgrown }) };
      this.status = this.#isEnding || exit.signal !== null ? 'killed' : 'completed';
    } catch (cause) {
      this.#fail(cause);
    } finally {
      signal?.removeEventListener('abort', end);
      stopWatching?.();
      streams.stdout.finish();
      streams.stderr.finish();
    }
  }

  #fail(cause: unknown): void {
    this.status = 'killed';
    this.#options.streams.stderr.push(Buffer.from(Error.isError(cause) ? cause.message : String(cause)));
    if (!isSandboxUnavailable(cause)) return;
    this.sandbox = { mode: this.#options.mode, denied: false, runnerFailed: true };
  }
}
