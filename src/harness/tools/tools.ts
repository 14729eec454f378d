import type { Context, Plugin } from '../kernel/context.ts';
import { ToolRegistry } from './tool-registry.ts';

/** Provides `ctx.tools` and tells the prompt of them. */
export const tools: Plugin = {
  name: 'tools',
  inject: ['systemPrompt'],
  apply(ctx: Context): void {
    const registry = new ToolRegistry(ctx);
    ctx.provide('tools', registry);
    ctx.systemPrompt.tools(({ scope }) => ({
      schemas: registry.schemas(scope),
      knownNames: registry.knownNames(scope),
    }));
  },
};
