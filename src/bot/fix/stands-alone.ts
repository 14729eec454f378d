import type { SessionEvent } from '../../harness/session/types.ts';

/** Whether the message that asked for this call has no other call in it. Pure. */
export function standsAlone(events: readonly SessionEvent[], callId: string): boolean {
  const message = events.findLast(
    (event) =>
      event.type === 'assistant/message' &&
      event.data.content.some((block) => block.type === 'tool-call' && block.id === callId),
  );
  if (message?.type !== 'assistant/message') return true;
  return message.data.content.filter((block) => block.type === 'tool-call').length === 1;
}
