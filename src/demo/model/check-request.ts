import * as z from 'zod';
import { ChatRequest } from './chat-request.ts';
import type { WireMessage } from './chat-request.ts';

export interface RequestRules {
  /** Model ids that exist; all do when absent. */
  models?: readonly string[];
  /** What the server makes of `reasoning_content` in the history. */
  reasoning: 'by-thinking' | 'required' | 'refused' | 'free';
}

export type CheckedRequest = { request: ChatRequest } | { refusal: string };

/** Reads a body as the real endpoints do; `refusal` is the text of their 400. */
export function checkRequest(body: unknown, rules: RequestRules): CheckedRequest {
  const parsed = ChatRequest.safeParse(body);
  if (!parsed.success) return { refusal: `Failed to deserialize the JSON body: ${z.prettifyError(parsed.error)}` };
  const request = parsed.data;
  const refusal =
    modelRefusal(request, rules) ??
    toolsRefusal(request) ??
    pairingRefusal(request.messages) ??
    reasoningRefusal(request, rules);
  return refusal === undefined ? { request } : { refusal };
}

function modelRefusal({ model }: ChatRequest, { models }: RequestRules): string | undefined {
  return models && !models.includes(model) ? 'Model Not Exist' : undefined;
}

function toolsRefusal({ tools, tool_choice, thinking }: ChatRequest): string | undefined {
  const names = (tools ?? []).map((tool) => tool.function.name);
  if (new Set(names).size !== names.length) return 'Tool names must be unique.';
  const isForced = tool_choice !== undefined && tool_choice !== 'auto' && tool_choice !== 'none';
  return isForced && thinking?.type === 'enabled' ? 'Thinking mode does not support this tool_choice' : undefined;
}

/** Every call is answered right after the message that made it, and every answer has its call. */
function pairingRefusal(messages: readonly WireMessage[]): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      }
      continue;
    }
    if (open.size > 0) break;
    if (message.role !== 'assistant') continue;
    if (message.content === null && !message.tool_calls)
      return 'Invalid assistant message: content or tool_calls must be set';
    for (const call of message.tool_calls ?? []) open.add(call.id);
  }
  if (open.size === 0) return undefined;
  return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)";
}

function reasoningRefusal({ messages, thinking }: ChatRequest, { reasoning }: RequestRules): string | undefined {
  const assistants = messages.filter((message) => message.role === 'assistant');
  if (reasoning === 'refused') {
    const has = assistants.some((message) => message.reasoning_content !== undefined);
    return has ? 'Extra inputs are not permitted: messages.reasoning_content' : undefined;
  }
  const isRequired = reasoning === 'required' || (reasoning === 'by-thinking' && thinking?.type === 'enabled');
  const lacks = assistants.some((message) => message.tool_calls && message.reasoning_content === undefined);
  return isRequired && lacks
    ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    : undefined;
}
