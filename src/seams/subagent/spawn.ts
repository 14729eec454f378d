import type { Plugin } from '../../harness/kernel/context.ts';
import { localProvider } from './local-provider.ts';
import type { LocalSubagentConfig } from './local-provider.ts';
import './subagent-service.ts';

/** Provider `spawn`: a child that begins with an empty log. */
export const spawnSubagents: Plugin<LocalSubagentConfig | undefined> = {
  name: 'subagent-spawn',
  inject: ['subagents', 'agents', 'tools', 'systemPrompt'],
  apply(ctx, config = {}) {
    const kind = { name: 'spawn', inheritsParentContext: false, seedOf: () => [] };
    ctx.subagents.registerProvider(localProvider(kind, config));
  },
};
