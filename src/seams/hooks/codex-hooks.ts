import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { CODEX } from './dialects.ts';
import { mountBridge } from './mount-bridge.ts';
import type { CodexConfig } from './types.ts';

/** Runs command hooks written for Codex, in the shell of `ctx.bash`. */
export const codexHooks: Plugin<CodexConfig> = {
  name: 'codex-hooks',
  inject: ['bash'],
  apply(ctx: Context, config) {
    const { model } = config;
    return mountBridge(ctx, CODEX, { config, env: () => ({}), ...(model !== undefined && { model }) });
  },
};
