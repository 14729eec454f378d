import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { CLAUDE } from './dialects.ts';
import { mountBridge } from './mount-bridge.ts';
import type { ClaudeConfig } from './types.ts';

/** Runs command hooks written for Claude Code's settings, in the shell of `ctx.bash`. */
export const claudeHooks: Plugin<ClaudeConfig> = {
  name: 'claude-hooks',
  inject: ['bash'],
  apply(ctx: Context, config) {
    const { pluginRoot, projectDir } = config;
    return mountBridge(ctx, CLAUDE, {
      config,
      variables: { CLAUDE_PLUGIN_ROOT: pluginRoot, CLAUDE_PROJECT_DIR: projectDir },
      env: (cwd) => ({
        CLAUDE_PROJECT_DIR: projectDir ?? cwd,
        ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
      }),
    });
  },
};
