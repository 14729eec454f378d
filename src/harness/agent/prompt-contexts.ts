import type { HookContext } from './types.ts';

/** Contexts that are written before the prompt, into the same message. */
export function prefixContexts(contexts: readonly HookContext[]): HookContext[] {
  return contexts.filter((context) => context.placement === 'prompt-prefix');
}

/** Contexts that become messages of their own. */
export function separateContexts(contexts: readonly HookContext[]): HookContext[] {
  return contexts.filter((context) => context.placement !== 'prompt-prefix');
}
