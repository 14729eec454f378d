import type { ContentBlock, Message, ToolCallBlock, ToolResultBlock } from '../harness/llm/types.ts';
import type { Dialect } from './dialect.ts';

/**
 * A history as the text of a JSON array. Each frozen message is serialised once and then joined, so a request
 * repeats the bytes of the one before it. Messages in role `system` come out as `user`.
 */
export class MessageSerializer {
  readonly #reasoningBack: Dialect['reasoningBack'];
  readonly #texts = new WeakMap<Message, string>();

  constructor(reasoningBack: Dialect['reasoningBack']) {
    this.#reasoningBack = reasoningBack;
  }

  serialize(system: string, messages: readonly Message[]): string {
    const parts = system === '' ? [] : [JSON.stringify({ role: 'system', content: system })];
    for (const message of messages) {
      const text = this.#textOf(message);
      if (text !== '') parts.push(text);
    }
    return `[${parts.join(',')}]`;
  }

  #textOf(message: Message): string {
    const known = this.#texts.get(message);
    if (known !== undefined) return known;
    const text = wireMessages(message, this.#reasoningBack)
      .map((wire) => JSON.stringify(wire))
      .join(',');
    if (Object.isFrozen(message)) this.#texts.set(message, text);
    return text;
  }
}

/** What one message becomes on the wire: none, one, or one per tool result. Unknown block kinds are skipped. */
export function wireMessages(message: Message, reasoningBack: Dialect['reasoningBack']): object[] {
  if (message.role === 'assistant') return [assistantMessage(message.content, reasoningBack)];
  const text = textOf(message.content, '\n');
  const results = message.content.filter((block) => block.type === 'tool-result');
  return [...(text === '' ? [] : [{ role: 'user', content: text }]), ...results.map(toolMessage)];
}

/** `content` is a text even when empty: null brings a 400 on every later turn. */
function assistantMessage(content: readonly ContentBlock[], reasoningBack: Dialect['reasoningBack']): object {
  const calls = content.filter((block) => block.type === 'tool-call');
  const reasoning = reasoningField(content, calls.length > 0, reasoningBack);
  return {
    role: 'assistant',
    content: textOf(content, ''),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(wireCall) }),
  };
}

function reasoningField(
  content: readonly ContentBlock[],
  hasCalls: boolean,
  reasoningBack: Dialect['reasoningBack'],
): string | undefined {
  if (reasoningBack === 'never') return undefined;
  const reasoning = content.filter((block) => block.type === 'reasoning');
  if (reasoning.length > 0) return reasoning.map(({ text }) => text).join('');
  return hasCalls && reasoningBack === 'required' ? '' : undefined;
}

/** The model's own text, byte for byte. An empty one is sent as `{}`, since servers parse it to fill their template. */
function wireCall({ id, name, arguments: text }: ToolCallBlock): object {
  return { id, type: 'function', function: { name, arguments: text === '' ? '{}' : text } };
}

function toolMessage({ toolCallId, content }: ToolResultBlock): object {
  return { role: 'tool', tool_call_id: toolCallId, content: textOf(content, '\n') || '(no output)' };
}

export function textOf(content: readonly ContentBlock[], separator: string): string {
  return content
    .filter((block) => block.type === 'text')
    .map(({ text }) => text)
    .join(separator);
}
