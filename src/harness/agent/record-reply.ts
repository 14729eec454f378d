import type { ContentBlock, GenerateOptions, Message, ToolCallBlock } from '../llm/types.ts';
import { jsonEquals } from '../session/json.ts';
import { toolCallsOf } from './session-log.ts';
import type { Reply } from './stream-reply.ts';
import type { Turn } from './turn.ts';

/**
 * Logs the one `assistant/message` of a successful call, even when a plugin fails on it, and returns its tool calls.
 * An interruption changes nothing here: a reply that is complete was paid for and belongs into the log.
 */
export async function recordReply(turn: Turn, request: GenerateOptions, reply: Reply): Promise<ToolCallBlock[]> {
  const cutShort = reply.assembler.finish.kind === 'max-tokens';
  turn.facts.cutShort ||= cutShort;
  try {
    const assembled = reply.assembler.blocks();
    const content = usable(await decideContent(turn, usable(assembled, cutShort)), cutShort);
    return append(turn, request, reply, content, jsonEquals(assembled, content));
  } catch (error) {
    append(turn, request, reply, [], false);
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

/** An adapter's private state describes the reply as it came: it is of no use to anything else. */
function append(
  turn: Turn,
  { provider, model }: GenerateOptions,
  { assembler, chunkSeqs }: Reply,
  content: ContentBlock[],
  asItCame: boolean,
): ToolCallBlock[] {
  const { loop, number, step } = turn;
  const { usage, replayState } = assembler;
  const provenance = { provider, model, ...(asItCame && replayState !== undefined && { replayState }) };
  const calls = toolCallsOf(content);
  loop.surfaceHeld = calls.length > 0;
  loop.session.append(
    'assistant/message',
    { turn: number, step, content, provenance, ...(usage && { usage }) },
    { surfaceOp: 'append', sourceEventSeqs: chunkSeqs },
  );
  return calls;
}
