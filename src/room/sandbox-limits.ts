import type { Config } from '../config/config.ts';
import type { EnvironmentSources } from '../docker/bash/command-environment.ts';
import type { SandboxLimits } from '../docker/sandbox-options.ts';

/** What a configuration allows a container. */
export function sandboxLimits({ sandbox }: Config): Partial<SandboxLimits> {
  const { memoryMb, cpus, pids: processes } = sandbox;
  return { memoryBytes: memoryMb * 1024 ** 2, cpus, processes };
}

/** What a configuration puts into the environment of commands. */
export function sandboxEnvironment({ sandbox }: Config): Pick<EnvironmentSources, 'config' | 'allowedNames'> {
  return { config: sandbox.env, allowedNames: sandbox.allowedEnv };
}
