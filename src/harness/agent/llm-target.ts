import type { Context } from '../kernel/context.ts';
import type { AgentLlmTargetRef } from './types.ts';
import './events.ts';

/**
 * Lets the owner of `ref` switch an agent's provider and model between steps.
 * The target is read once per assembly, so that the prompt's variables and the request's route cannot disagree.
 */
export function installAgentLlmTarget(agentCtx: Context, ref: AgentLlmTargetRef): void {
  agentCtx.on('system-prompt/assemble', async (_assembly, _context, next) => {
    ref.assembled = ref.current && { ...ref.current };
    const assembly = await next();
    return ref.assembled ? { ...assembly, variables: { ...assembly.variables, ...ref.assembled } } : assembly;
  });
  agentCtx.on('agent/request', async (_agent, _turn, _step, _config, _signal, next) => {
    const config = await next();
    return ref.assembled ? { ...config, ...ref.assembled } : config;
  });
}
