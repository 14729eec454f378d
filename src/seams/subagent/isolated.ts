import type { Plugin } from '../../harness/kernel/context.ts';
import { localProvider } from './local-provider.ts';
import type { LocalSubagentConfig } from './local-provider.ts';
import type { OpenWorkPlace } from './work-place.ts';
import './subagent-service.ts';

export interface IsolatedSubagentConfig extends LocalSubagentConfig {
  readonly openPlace: OpenWorkPlace;
}

/**
 * Provider `spawn-isolated`: a child that begins with an empty log and works on a second tree, with what its parent's holds.
 * What it changes there is its result's patch.
 */
export const isolatedSubagents: Plugin<IsolatedSubagentConfig> = {
  name: 'subagent-isolated',
  inject: ['subagents', 'agents', 'tools', 'systemPrompt'],
  apply(ctx, { openPlace, ...config }) {
    const kind = { name: 'spawn-isolated', inheritsParentContext: false, seedOf: () => [], openPlace };
    ctx.subagents.registerProvider(localProvider(kind, config));
  },
};
