import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest } from './chat-request.ts';
import type { RawPart, Reply, ReplyCall, ReplyUsage } from './reply.ts';

const PIECE_LENGTH = 24;

export interface StreamOptions {
  /** Of the reply. */
  id: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** Writes a reply as the events of a Chat Completions stream. */
export async function streamReply(
  response: ServerResponse,
  request: ChatRequest,
  reply: Reply,
  { id, signal }: StreamOptions,
): Promise<void> {
  response.writeHead(200, { 'Content-Type': reply.contentType ?? 'text/event-stream; charset=utf-8' });
  if (reply.raw) return writeRaw(response, reply.raw, signal);
  response.end([...eventsOf(request, reply, id)].join(''));
}

async function writeRaw(response: ServerResponse, parts: readonly RawPart[], signal: AbortSignal): Promise<void> {
  response.flushHeaders();
  for (const part of parts) {
    if (typeof part === 'string' || part instanceof Uint8Array) {
      await new Promise<void>((resolve) => response.write(part, () => resolve()));
    } else if ('pauseMs' in part) {
      await sleep(part.pauseMs, undefined, { signal });
    } else {
      if (part.end === 'destroy') response.destroy();
      return;
    }
  }
  response.end();
}

/** The data lines of a whole reply, end mark included; tests cut them up. */
export function* eventsOf(request: ChatRequest, reply: Reply, id: string): Generator<string> {
  const event = (choices: unknown[], usage?: object): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', model: request.model, choices, ...(usage && { usage }) })}\n\n`;
  const delta = (fields: object): string => event([{ index: 0, delta: fields, finish_reason: null }]);

  yield delta({ role: 'assistant', content: '' });
  for (const piece of pieces(reply.reasoning ?? '')) yield delta({ reasoning_content: piece });
  for (const piece of pieces(reply.text ?? '')) yield delta({ content: piece });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    for (const fields of callDeltas(call, index, id)) yield delta({ tool_calls: [fields] });
  }
  const finish_reason = reply.finishReason ?? (reply.toolCalls?.length ? 'tool_calls' : 'stop');
  yield event([{ index: 0, delta: {}, finish_reason }], wireUsage(reply.usage ?? estimatedUsage(request, reply)));
  yield 'data: [DONE]\n\n';
}

function* callDeltas(call: ReplyCall, index: number, replyId: string): Generator<object> {
  const id = call.id ?? `call_${replyId}_${index}`;
  yield { index, id, type: 'function', function: { name: call.name, arguments: '' } };
  for (const piece of pieces(call.arguments)) yield { index, function: { arguments: piece } };
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) yield text.slice(at, at + PIECE_LENGTH);
}

function wireUsage({ promptTokens, completionTokens, cachedTokens = 0, reasoningTokens = 0 }: ReplyUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_cache_hit_tokens: cachedTokens,
    prompt_cache_miss_tokens: promptTokens - cachedTokens,
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** Four characters a token. */
function estimatedUsage(request: ChatRequest, { reasoning = '', text = '', toolCalls = [] }: Reply): ReplyUsage {
  const called = toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  const prompt = request.messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  return {
    promptTokens: Math.ceil(prompt / 4),
    completionTokens: Math.ceil((reasoning.length + text.length + called) / 4),
    reasoningTokens: Math.ceil(reasoning.length / 4),
  };
}
