import type { SessionEvent } from '../../harness/session/types.ts';

/** The text of the model's last message; reasoning is never part of it. Pure. */
export function lastText(events: readonly SessionEvent[]): string {
  const message = events.findLast((event) => event.type === 'assistant/message');
  if (message?.type !== 'assistant/message') return '';
  return message.data.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim();
}
