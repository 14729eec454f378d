import type { HookContext } from '../../harness/agent/types.ts';
import type { PostToolDecision, PreToolDecision } from '../../harness/tools/types.ts';
import type { HookBridge } from './hook-bridge.ts';
import type { MergedHookOutcome } from './types.ts';

/** `PreToolUse` and `PostToolUse`. Calls that belong to no agent have no session to run a hook in. */
export function addToolHooks(bridge: HookBridge): void {
  bridge.ctx.on('tools/pre-execute', async (exec, next) => {
    if (!exec.agent) return next();
    const outcome = await bridge.run(exec.agent, { point: 'PreToolUse', exec }, exec.signal);
    return decideCall(outcome, bridge.rules.asks, next);
  });
  bridge.ctx.on('tools/post-execute', async (exec, result, next) => {
    if (!exec.agent) return next();
    const outcome = await bridge.run(exec.agent, { point: 'PostToolUse', exec, result }, exec.signal);
    return judgeResult(outcome, bridge.contexts(outcome), next);
  });
}

/** Only a denial ends the chain: whoever is asked for a call that others deny would be asked in vain. */
async function decideCall(
  { decision, reason }: MergedHookOutcome,
  asks: boolean,
  next: () => Promise<PreToolDecision>,
): Promise<PreToolDecision> {
  if (decision === 'deny') return { kind: 'deny', reason: reason ?? 'a hook refused this call and gave no reason' };
  const further = await next();
  if (decision !== 'ask' || !asks || further.kind === 'deny') return further;
  return { kind: 'ask', ...(reason !== undefined && { reason }) };
}

async function judgeResult(
  { decision, reason }: MergedHookOutcome,
  contexts: HookContext[],
  next: () => Promise<PostToolDecision>,
): Promise<PostToolDecision> {
  if (decision !== 'deny') return withContexts(await next(), contexts);
  const text = reason ?? 'a hook refused this result and gave no reason';
  return withContexts({ kind: 'block', feedback: [{ type: 'text', text }] }, contexts);
}

function withContexts(decision: PostToolDecision, contexts: HookContext[]): PostToolDecision {
  if (contexts.length === 0) return decision;
  return { ...decision, additionalContexts: [...contexts, ...(decision.additionalContexts ?? [])] };
}
