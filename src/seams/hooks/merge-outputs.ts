import type { HookDecision, HookOutput, MergedDecision, MergedHookOutcome } from './types.ts';

/** Weakest first. */
const RANKS: readonly MergedDecision[] = ['none', 'allow', 'ask', 'deny'];
const MEANING: Record<HookDecision, MergedDecision> = {
  approve: 'allow',
  allow: 'allow',
  ask: 'ask',
  block: 'deny',
  deny: 'deny',
};

/** What several hooks said together, in the order in which they ran. Only who decided it says why. */
export function mergeHookOutputs(outputs: readonly HookOutput[]): MergedHookOutcome {
  const decision = RANKS[Math.max(0, ...outputs.map((output) => RANKS.indexOf(meaningOf(output))))]!;
  const winners = decision === 'none' ? [] : outputs.filter((output) => meaningOf(output) === decision);
  const reason = filled(winners.map((output) => output.reason)).join('\n\n');
  const stopper = outputs.find((output) => output.continue === false);
  return {
    decision,
    ...(reason && { reason }),
    stop: stopper !== undefined,
    ...(stopper?.stopReason !== undefined && { stopReason: stopper.stopReason }),
    additionalContext: filled(outputs.map((output) => output.additionalContext)),
    systemMessages: filled(outputs.map((output) => output.systemMessage)),
  };
}

function meaningOf({ decision }: HookOutput): MergedDecision {
  return decision ? MEANING[decision] : 'none';
}

function filled(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text): text is string => text !== undefined && text.trim() !== '');
}
