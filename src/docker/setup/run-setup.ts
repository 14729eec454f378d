import type { BashRunResult } from '../../seams/bash/executor.ts';
import { ContainerBashExecutor } from '../bash/container-bash.ts';
import type { ContainerBashConfig } from '../bash/container-bash.ts';
import type { CheckedSandbox } from '../check-sandbox.ts';
import type { EgressOptions } from '../egress/open-egress.ts';
import { openSandbox } from '../open-sandbox.ts';
import type { SandboxOptions } from '../sandbox-options.ts';

export interface SetupOptions extends Pick<
  SandboxOptions,
  'docker' | 'image' | 'runtime' | 'tree' | 'gitDir' | 'limits' | 'labels'
> {
  readonly checked: CheckedSandbox;
  readonly commands: readonly string[];
  /** For all commands together. */
  readonly timeoutMs: number;
  readonly egress: EgressOptions;
  /** How much the commands may put into the tree. */
  readonly growthBytes: number;
  readonly environment: NonNullable<ContainerBashConfig['environment']>;
  readonly signal: AbortSignal;
  readonly onCommand: (command: string) => void;
}

/** `output` is what the command printed last. */
export interface SetupFailure {
  readonly command: string;
  readonly how: string;
  readonly output: string;
}

/** What is told of a failing command's output. */
const OUTPUT_CHARS = 4_000;

/** Runs setup in a container of its own, with a network, on a tree of its own. Undefined when every command succeeded. */
export async function runSetup(options: SetupOptions): Promise<SetupFailure | undefined> {
  const { checked, commands, timeoutMs, growthBytes, environment, signal, onCommand, ...world } = options;
  const mode = 'workspace-write';
  const sandbox = await openSandbox({ ...world, mode }, checked);
  const { network } = options.egress.policy;
  const growth = { tree: options.tree, maxBytes: growthBytes };
  const limits = { timeoutMs, maxTimeoutMs: timeoutMs, growth, environment };
  const bash = new ContainerBashExecutor({ mode, network, sandbox: Promise.resolve(sandbox) }, limits);
  const endsAt = performance.now() + timeoutMs;
  try {
    for (const command of commands) {
      onCommand(command);
      const leftMs = Math.max(1, endsAt - performance.now());
      const result = await bash.run(bash.resolve({ command, timeoutMs: leftMs, signal }));
      signal.throwIfAborted();
      if (result.exitCode !== 0 || result.timedOut || result.sandbox?.overgrown)
        return failureOf(command, result, timeoutMs);
    }
    return undefined;
  } finally {
    await bash.dispose();
    await sandbox.close();
  }
}

function failureOf(command: string, result: BashRunResult, timeoutMs: number): SetupFailure {
  const { exitCode, signal, timedOut, stdout, stderr, sandbox } = result;
  const ended = exitCode === null ? `was killed by ${signal}` : `ended with exit code ${exitCode}`;
  const tooLarge = sandbox?.overgrown && `put more than ${sandbox.overgrown.maxBytes} bytes into the tree`;
  const how = tooLarge ?? (timedOut ? `took longer than ${timeoutMs} ms` : ended);
  return { command, how, output: `${stdout.text}\n${stderr.text}`.trim().slice(-OUTPUT_CHARS) };
}
