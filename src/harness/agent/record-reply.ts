import type { ContentBlock, GenerateOptions, Message, ToolCallBlock } from '../llm/types.ts';
import { jsonEquals } from '../session/json.ts';
import { toolCallsOf } from './session-log.ts';
import type { Reply } from './stream-reply.ts';
import type { Turn } from './turn.ts';

/**
 * Logs the one `assistant/message` of a successful call, even when a plugin fails on it, and returns its tool calls.
 * The interruption of a reply that is complete changes nothing here: it was paid for and belongs into the log.
 */
export async function recordReply(turn: Turn, request: GenerateOptions, reply: Reply): Promise<ToolCallBlock[]> {
  const assembled = reply.assembler.blocks();
  const cutShort = reply.assembler.finish.kind === 'max-tokens';
  turn.facts.cutShort ||= cutShort;
  try {
    const content = await decideContent(turn, usable(assembled, cutShort));
    return append(turn, request, reply, assembled, usable(content, cutShort));
  } catch (error) {
    if (!turn.replyRecorded) append(turn, request, reply, assembled, []);
    throw error;
  }
}

/** The arguments of a call in a reply that was cut may be cut, too. */
function usable(content: ContentBlock[], cutShort: boolean): ContentBlock[] {
  return cutShort ? content.filter((block) => block.type !== 'tool-call') : content;
}

async function decideContent(turn: Turn, content: ContentBlock[]): Promise<ContentBlock[]> {
  const { loop, number, step, signal } = turn;
  const message: Message = { role: 'assistant', content };
  const decided = await loop.events.waterfall('agent/step-result', number, step, message, signal, () =>
    Promise.resolve(message),
  );
  return decided.content;
}
