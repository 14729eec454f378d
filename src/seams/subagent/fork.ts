import type { Plugin } from '../../harness/kernel/context.ts';
import { completedSeed } from './completed-seed.ts';
import { localProvider } from './local-provider.ts';
import type { LocalSubagentConfig } from './local-provider.ts';
import './subagent-service.ts';

/** Provider `fork`: a child that has seen the parent's completed turns. */
export const forkSubagents: Plugin<LocalSubagentConfig | undefined> = {
  name: 'subagent-fork',
  inject: ['subagents', 'agents', 'tools', 'systemPrompt'],
  apply(ctx, config = {}) {
    const kind = { name: 'fork', inheritsParentContext: true, seedOf: completedSeed };
    ctx.subagents.registerProvider(localProvider(kind, config));
  },
};
