import { appendContexts } from './append-input.ts';
import type { QueuedPrompt } from './inbox.ts';
import { promptMessage, separateContexts } from './prompt-message.ts';
import { withdrawParked } from './settle-parked.ts';
import { snapshotContexts } from './snapshot-input.ts';
import type { Turn } from './turn.ts';
import type { PromptDecision } from './types.ts';

/** Lets plugins shape or veto a claimed prompt. Logs it, or that it was blocked and the turn has no steps. */
export async function acceptPrompt(turn: Turn, prompt: QueuedPrompt): Promise<boolean> {
  const decision = await turn.settled(askPlugins(turn, prompt));
  await withdrawParked(turn);
  if (decision.kind === 'block') {
    const { content, source } = prompt;
    turn.loop.session.append('prompt/blocked', { content, source, reason: decision.reason });
    turn.facts.rejected = decision.reason;
    return false;
  }
  appendAllowed(turn, prompt, decision);
  return true;
}

function askPlugins(turn: Turn, { content, source, contexts }: QueuedPrompt): Promise<PromptDecision> {
  const carried: PromptDecision = {
    kind: 'allow',
    ...(contexts.length > 0 && { additionalContexts: [...contexts] }),
  };
  return turn.loop.events.waterfall('agent/prompt-submit', content, source, turn.signal, () =>
    Promise.resolve(carried),
  );
}

function appendAllowed(
  turn: Turn,
  prompt: QueuedPrompt,
  { content = prompt.content, additionalContexts = [] }: Extract<PromptDecision, { kind: 'allow' }>,
): void {
  const contexts = snapshotContexts(additionalContexts);
  turn.loop.session.append('user/message', promptMessage(content, prompt.source, contexts), { surfaceOp: 'append' });
  appendContexts(turn.loop, separateContexts(contexts));
}
