import type { QueuedPrompt } from './inbox.ts';
import type { Loop } from './loop.ts';
import { promptMessage, separateContexts } from './prompt-message.ts';
import type { Turn } from './turn.ts';
import type { HookContext } from './types.ts';

/** Input that joined the running turn enters the history here. Returns whether there was any. */
export function drainSteering(turn: Turn): boolean {
  const steering = turn.loop.inbox.takeSteering();
  for (const prompt of steering) appendSteering(turn, prompt);
  return steering.length > 0;
}

function appendSteering(turn: Turn, { content, source, contexts }: QueuedPrompt): void {
  const data = { ...promptMessage(content, source, contexts), turn: turn.number };
  turn.loop.session.append('steering/message', data, { surfaceOp: 'append' });
  appendContexts(turn.loop, separateContexts(contexts));
}

export function appendContexts(loop: Loop, contexts: readonly HookContext[]): void {
  for (const { content, source, meta } of contexts) {
    const data = { content, source, ...(meta !== undefined && { meta }) };
    loop.session.append('context/message', data, { surfaceOp: 'append' });
  }
}

/** Contexts that had to wait until every call had its result. */
export function drainHeld(loop: Loop): void {
  appendContexts(loop, loop.inbox.takeHeld());
}
