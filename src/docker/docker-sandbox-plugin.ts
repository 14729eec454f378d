import type { Context, Plugin } from '../harness/kernel/context.ts';
import { ContainerBashExecutor } from './bash/container-bash.ts';
import type { ContainerBashConfig } from './bash/container-bash.ts';
import { ContainerFileSystem } from './filesystem/container-file-system.ts';
import { sandboxUnavailable } from './errors.ts';
import type { Sandbox } from './sandbox.ts';
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
    endTurnsWithout(ctx, handle.sandbox);
    ctx.effect(() => () => bash.dispose(), 'background commands');
  },
};

/**
 * Where nothing can run any more, the turn ends with the reason at its next step, and the model does not go on asking.
 * A sandbox that is still starting is not waited for.
 */
function endTurnsWithout(ctx: Context, sandbox: Promise<Sandbox>): void {
  let reason: Error | undefined;
  sandbox
    .then(({ gone }) => gone)
    .then(
      (error) => (reason = error),
      (error: Error) => (reason = error),
    );
  ctx.on('agent/pre-step', () => {
    if (!reason) return;
    const { message, hint = '' } = reason as Error & { hint?: string };
    throw sandboxUnavailable(`${message} ${hint}`.trim(), hint);
  });
}
