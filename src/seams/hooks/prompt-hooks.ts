import type { HookBridge } from './hook-bridge.ts';

/** `UserPromptSubmit`: a denial blocks the prompt, context goes before that of the plugins further in. */
export function addPromptHooks(bridge: HookBridge): void {
  bridge.ctx.on('agent/prompt-submit', async (agent, content, _source, signal, next) => {
    const outcome = await bridge.run(agent, { point: 'UserPromptSubmit', content }, signal);
    if (outcome.decision === 'deny') {
      return { kind: 'block', reason: outcome.reason ?? 'a hook refused this prompt and gave no reason' };
    }
    const decision = await next();
    const contexts = bridge.contexts(outcome);
    if (decision.kind === 'block' || contexts.length === 0) return decision;
    return { ...decision, additionalContexts: [...contexts, ...(decision.additionalContexts ?? [])] };
  });
}
