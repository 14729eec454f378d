import type { Context, Plugin } from '../harness/kernel/context.ts';
import { ContainerBashExecutor } from './bash/container-bash.ts';
import type { ContainerBashConfig } from './bash/container-bash.ts';
import { ContainerFileSystem } from './filesystem/container-file-system.ts';
import type { SandboxHandle } from './sandbox-handle.ts';

export interface DockerSandboxConfig extends SandboxHandle {
  bash?: ContainerBashConfig;
}

/**
 * Commands and files of one session's container, as `ctx.bash` and `ctx.fs`. The sandbox may still be starting; who
 * opened it closes it.
 */
export const dockerSandboxPlugin: Plugin<DockerSandboxConfig> = {
  name: 'docker-sandbox',
  apply(ctx: Context, { bash: bashConfig, ...handle }) {
    const bash = new ContainerBashExecutor(handle, bashConfig);
    ctx.provide('bash', bash);
    ctx.provide('fs', new ContainerFileSystem(handle));
    ctx.effect(() => () => bash.dispose(), 'background commands');
  },
};
