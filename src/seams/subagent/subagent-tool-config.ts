import type { AgentOptions } from '../../harness/agent/types.ts';
import type { ToolRestriction } from '../../harness/tools/types.ts';
import { assertSubagentMaxDepth } from './delegation-depth.ts';
import { SubagentError } from './subagent-error.ts';

export interface SubagentToolConfig {
  readonly provider: string;
  readonly toolName?: string;
  readonly enableRunInBackground?: boolean;
  readonly agentOptions?: AgentOptions;
  readonly persona?: string;
  readonly toolFilter?: ToolRestriction;
  /** 0 forbids; `provider-managed` for providers that count depth themselves. */
  readonly maxDepth?: number | 'provider-managed';
}

const DEFAULTS = { toolName: 'subagent', enableRunInBackground: true, maxDepth: 3 } as const;
export type CheckedToolConfig = SubagentToolConfig & Required<Pick<SubagentToolConfig, keyof typeof DEFAULTS>>;

/** Throws `SubagentError`: at load, not at the first call. A filter that names nothing is more likely a mistake. */
export function checkToolConfig(given: SubagentToolConfig): CheckedToolConfig {
  const config = { ...DEFAULTS, ...given };
  if (config.maxDepth !== 'provider-managed') assertSubagentMaxDepth(config.maxDepth);
  const { toolFilter } = config;
  if (toolFilter && [...(toolFilter.allow ?? []), ...(toolFilter.deny ?? [])].length === 0) {
    throw new SubagentError('toolFilter names no tool: name some, or leave it out', 'INVALID_CONFIG');
  }
  return config;
}
