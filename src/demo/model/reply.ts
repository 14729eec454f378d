import type { ChatRequest } from './chat-request.ts';

export interface ReplyCall {
  id?: string;
  name: string;
  /** Sent as it is, so a script can also send what does not parse. */
  arguments: string;
}

export interface ReplyUsage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

export interface ReplyError {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A piece of a broken stream: bytes as they are, a pause, or an end without the usual one. */
export type RawPart = string | Uint8Array | { pauseMs: number } | { end: 'destroy' | 'silent' };

/** What the scripted model answers. Without `finishReason` it is `tool_calls` or `stop`; without `usage`, an estimate. */
export interface Reply {
  reasoning?: string;
  text?: string;
  toolCalls?: readonly ReplyCall[];
  usage?: ReplyUsage;
  finishReason?: string;
  delayMs?: number;
  error?: ReplyError;
  /** Replaces the whole body of a 200 answer. */
  raw?: readonly RawPart[];
  contentType?: string;
}

/** Called once per request, `index` from 0. */
export type Script = (request: ChatRequest, index: number) => Reply | Promise<Reply>;

export function says(text: string, more: Omit<Reply, 'text'> = {}): Reply {
  return { text, ...more };
}

/** Arguments are given as a value; a text is sent as it is. */
export function calls(name: string, args: unknown, more: Omit<Reply, 'toolCalls'> = {}): Reply {
  return callsAll([{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }], more);
}

export function callsAll(toolCalls: readonly ReplyCall[], more: Omit<Reply, 'toolCalls'> = {}): Reply {
  return { toolCalls, ...more };
}

export function refuses(status: number, message: string, headers?: Record<string, string>): Reply {
  return { error: { status, body: { error: { message, type: 'error', code: null } }, ...(headers && { headers }) } };
}

/** One reply per request, in order; each item may be the replies of one turn. One too many gets a 400: it is not retried. */
export function scriptByTurn(turns: readonly (Reply | readonly Reply[])[]): Script {
  const replies = turns.flat();
  return (_request, index) => replies[index] ?? refuses(400, `the script has no reply for request ${index + 1}`);
}
