import { HarnessError } from '../../harness/llm/errors.ts';
import { DSH_ENV_PREFIX } from './executor.ts';
import type { BashExecRequest, BashExecSpec } from './executor.ts';

/** Limits of an executor; `maxOutputBytes` and `maxSpillBytes` are per stream. */
export interface BashExecutorConfig {
  cwd: string;
  timeoutMs: number;
  maxTimeoutMs: number;
  maxOutputBytes: number;
  maxSpillBytes: number;
  graceMs: number;
}

export const BASH_EXECUTOR_DEFAULTS: Omit<BashExecutorConfig, 'cwd'> = {
  timeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  maxOutputBytes: 64_000,
  maxSpillBytes: 67_108_864,
  graceMs: 3_000,
};

/** @throws HarnessError `BASH_CONFIG_INVALID` unless every number is positive and finite */
export function bashExecutorConfig(config: Partial<BashExecutorConfig> = {}): BashExecutorConfig {
  const complete = { cwd: process.cwd(), ...BASH_EXECUTOR_DEFAULTS, ...config };
  for (const [name, value] of Object.entries(complete)) {
    if (typeof value === 'number' && !isPositive(value)) {
      throw new HarnessError(`bash: ${name} must be positive and finite, not ${value}`, 'BASH_CONFIG_INVALID');
    }
  }
  return complete;
}

/**
 * Fills what a request leaves out. A relative workdir is joined, not normalised, so that `link/..` ends where a
 * process really lands; it starts at the policy's root, so that confinement and launch agree.
 * @throws HarnessError `INVALID_ARGS` for bad numbers and for variables in the wrong channel
 */
export function resolveBashRequest(request: BashExecRequest, config: BashExecutorConfig): BashExecSpec {
  const { command, signal, stdin, env, dshEnv, sandboxPolicy } = request;
  assertEnvChannels(request);
  return {
    command,
    workdir: workdirOf(request, config),
    timeoutMs: Math.min(positive('timeoutMs', request.timeoutMs ?? config.timeoutMs), config.maxTimeoutMs),
    stdoutMaxBytes: positive('stdoutMaxBytes', request.stdoutMaxBytes ?? config.maxOutputBytes),
    ...(signal && { signal }),
    ...(stdin !== undefined && { stdin }),
    ...(env && { env }),
    ...(dshEnv && { dshEnv }),
    sandboxPolicy,
  };
}

function workdirOf({ workdir, sandboxPolicy }: BashExecRequest, { cwd }: BashExecutorConfig): string {
  const root = sandboxPolicy?.workspaceRoot ?? cwd;
  if (workdir === undefined) return root;
  return workdir.startsWith('/') ? workdir : `${root}/${workdir}`;
}

function assertEnvChannels({ env = {}, dshEnv = {} }: BashExecRequest): void {
  const plain = Object.keys(env).find((key) => key.startsWith(DSH_ENV_PREFIX));
  if (plain) throw invalid(`${plain} is a managed variable and cannot be set through env`);
  const managed = Object.keys(dshEnv).find((key) => !key.startsWith(DSH_ENV_PREFIX));
  if (managed) throw invalid(`${managed} does not start with ${DSH_ENV_PREFIX} and cannot be set through dshEnv`);
}

function positive(name: string, value: number): number {
  if (isPositive(value)) return value;
  throw invalid(`${name} must be a positive number, not ${value} — leave it out for the default`);
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ARGS');
}
