import type { ContentBlock, Message } from '../llm/types.ts';
import { snapshotJsonValue } from './json.ts';
import type { SessionEvent } from './types.ts';

const derived = new WeakMap<SessionEvent, Message | null>();

/**
 * The message an event stands for in the history, frozen and the same object on every call; null for an event
 * the model never sees and for an assistant message without content.
 */
export function deriveEventMessage(event: SessionEvent): Message | null {
  const known = derived.get(event);
  if (known !== undefined) return known;
  const message = toMessage(event);
  const frozen = message && snapshotJsonValue(message);
  derived.set(event, frozen);
  return frozen;
}

function toMessage(event: SessionEvent): Message | null {
  switch (event.type) {
    case 'user/message':
    case 'context/message':
    case 'steering/message':
      return { role: 'user', content: event.data.content };
    case 'assistant/message':
      if (event.data.content.length === 0) return null;
      return { role: 'assistant', content: event.data.content, provenance: event.data.provenance };
    case 'tool/result':
      return { role: 'user', content: [toolResultBlock(event)] };
    default:
      return null;
  }
}

function toolResultBlock({ data }: SessionEvent<'tool/result'>): ContentBlock {
  return {
    type: 'tool-result',
    toolCallId: data.callId,
    content: data.content,
    ...(data.isError && { isError: true }),
  };
}
