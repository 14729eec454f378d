import type { Config } from './config/config.ts';
import type { SandboxLimits } from './docker/sandbox-options.ts';

/** What a configuration allows a container. */
export function sandboxLimits({ sandbox }: Config): Partial<SandboxLimits> {
  const { memoryMb, cpus, pids: processes } = sandbox;
  return { memoryBytes: memoryMb * 1024 ** 2, cpus, processes };
}
