import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { DialectRules } from './dialects.ts';
import { HookBridge } from './hook-bridge.ts';
import { loadHookSettings } from './load-hook-settings.ts';
import { addPromptHooks } from './prompt-hooks.ts';
import { addSessionStartHooks } from './session-start-hooks.ts';
import { addStopHooks } from './stop-hooks.ts';
import { addSubagentHooks } from './subagent-hooks.ts';
import { addToolHooks } from './tool-hooks.ts';
import { DEFAULT_HOOK_TIMEOUT_MS, DEFAULT_STDERR_SUMMARY_MAX_CHARS } from './types.ts';
import type { ClaudeConfig, CodexConfig } from './types.ts';

export interface BridgeParts {
  readonly config: ClaudeConfig | CodexConfig;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly model?: string;
  env(cwd: string): Record<string, string>;
}

/**
 * Reads the configuration once and registers the dialect's hooks through `ctx`.
 * @throws HarnessError `HOOK_CONFIG_INVALID` for a limit that is not positive, `HOOK_MATCHER_INVALID`
 */
export async function mountBridge(ctx: Context, rules: DialectRules, parts: BridgeParts): Promise<void> {
  const { config, variables, model, env } = parts;
  const limits = limitsOf(config);
  const { dialect, source } = rules;
  const warn = (message: string) =>
    ctx.notify('kernel/error', new HarnessError(message, 'HOOK_CONFIG_SKIPPED'), source.plugin);
  const table = await loadHookSettings(config, { dialect, warn, ...(variables && { variables }) });
  const bridge = new HookBridge(ctx, rules, table, { ...limits, env, ...(model !== undefined && { model }) });
  addSessionStartHooks(bridge);
  addPromptHooks(bridge);
  addToolHooks(bridge);
  addStopHooks(bridge);
  if (dialect === 'claude') addSubagentHooks(bridge);
}

function limitsOf(config: ClaudeConfig | CodexConfig) {
  const { defaultTimeoutMs = DEFAULT_HOOK_TIMEOUT_MS, stderrSummaryMaxChars = DEFAULT_STDERR_SUMMARY_MAX_CHARS } =
    config;
  const limits = { defaultTimeoutMs, stderrSummaryMaxChars };
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && value > 0) continue;
    throw new HarnessError(`hooks: ${name} must be positive and finite, not ${value}`, 'HOOK_CONFIG_INVALID');
  }
  return limits;
}
