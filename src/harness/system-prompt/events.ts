import type { Scoped, ScopeKey } from '../scope/scope.ts';
import type { SystemPrompt } from './system-prompt.ts';
import type { AssembleContext, PromptAssembly } from './types.ts';

declare module '../kernel/context.ts' {
  interface Context {
    systemPrompt: SystemPrompt;
  }
  interface Events {
    /** Runs last, on ordered data, scope-filtered by `context.scope`; what comes out is what the model gets. */
    'system-prompt/assemble'(
      this: Scoped<ScopeKey>,
      assembly: PromptAssembly,
      context: AssembleContext,
      next: () => Promise<PromptAssembly>,
    ): PromptAssembly | Promise<PromptAssembly>;
    /** A contribution came or went, for anyone. */
    'system-prompt/change'(): void;
  }
}
