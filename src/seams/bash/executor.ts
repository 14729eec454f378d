import type { SandboxEnforcement, SandboxExecutionPolicy, SandboxMode } from '../sandbox/types.ts';

export const DSH_ENV_PREFIX = 'DSH_';
export type DshEnvironmentKey = `${typeof DSH_ENV_PREFIX}${string}`;
export type DshEnvironment = Readonly<Record<DshEnvironmentKey, string>>;

/** Code of the executor's own deadline: only this one makes a run `timedOut` (B4). */
export const BASH_TIMEOUT = 'BASH_TIMEOUT';
/** Code of a rejected run that never began: no such directory, no shell, aborted before the spawn. */
export const BASH_SPAWN_FAILED = 'BASH_SPAWN_FAILED';

/** What callers ask for; `resolve` fills what is left out. */
export interface BashExecRequest {
  command: string;
  workdir?: string;
  timeoutMs?: number;
  /** Trusted callers only: capture budget of foreground stdout. */
  stdoutMaxBytes?: number;
  signal?: AbortSignal;
  /** Trusted callers only: written once, then closed. */
  stdin?: string;
  /** Trusted callers only: ordinary entries; a `DSH_*` name is refused. */
  env?: Record<string, string>;
  /** Trusted callers only: managed entries; any other name is refused. */
  dshEnv?: DshEnvironment;
  sandboxPolicy?: SandboxExecutionPolicy;
}

export interface BashExecSpec {
  command: string;
  workdir: string;
  timeoutMs: number;
  stdoutMaxBytes: number;
  signal?: AbortSignal;
  stdin?: string;
  env?: Record<string, string>;
  dshEnv?: DshEnvironment;
  sandboxPolicy: SandboxExecutionPolicy | undefined;
}

/**
 * One captured stream: `text` is its tail when `truncated`, and `spillPath` then leads to all of it. An executor that
 * kept it also gives the first bytes of a truncated stream as `head`, and the length of the whole as `totalBytes`.
 */
export interface CollectedOutput {
  text: string;
  truncated: boolean;
  spillPath?: string;
  head?: string;
  totalBytes?: number;
}

/** By how much commands have let a session's work tree grow, where that is more than they may. */
export interface TreeGrowth {
  bytes: number;
  maxBytes: number;
}

export interface BashSandboxInfo {
  mode: SandboxMode;
  denied: boolean;
  /** Set when the tree is too large after this run, or became so and the run was ended for it. */
  overgrown?: TreeGrowth;
  enforcement?: SandboxEnforcement;
  runnerFailed?: boolean;
}

/** Facts stay apart: a command may time out and still exit 0. `timedOut` and `aborted` exclude each other. */
export interface BashRunResult {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  timeoutMs: number;
  stdout: CollectedOutput;
  stderr: CollectedOutput;
  sandbox?: BashSandboxInfo;
}

export type BashProcessStatus = 'running' | 'completed' | 'killed';

/** What is new since the last read; `lossy` when unread bytes fell out of the window. */
export interface BashProcessRead {
  delta: string;
  lossy: boolean;
  stdoutSpillPath?: string;
  stderrSpillPath?: string;
}

/** A background process. `done` never rejects; `kill` answers false once it has finished. */
export interface BashProcess {
  status: BashProcessStatus;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  readonly done: Promise<void>;
  sandbox?: BashSandboxInfo;
  readOutput(): BashProcessRead;
  kill(): boolean;
}

/**
 * Runs shell commands; one per context. A failing, timed out or aborted command resolves; only infrastructure
 * rejects: no such directory, no shell, aborted before the spawn, `SANDBOX_UNAVAILABLE`.
 */
export abstract class BashExecutor {
  /** The standing mode; `undefined` when this executor does not confine. */
  get sandboxMode(): SandboxMode | undefined {
    return undefined;
  }
  /** @throws HarnessError for numbers that are not positive and finite */
  abstract resolve(request: BashExecRequest): BashExecSpec;
  abstract run(spec: BashExecSpec): Promise<BashRunResult>;
  /** Returns at once; no timeout applies. */
  abstract start(spec: BashExecSpec): BashProcess;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    bash: BashExecutor;
  }
}
