import type { Branded } from '../kernel/branded.ts';

/** Pairs a tool call with its result. */
export type CallId = Branded<'CallId'>;
export function CallId(value: string): CallId {
  return value as CallId;
}

/** A provider's own id of one HTTP request, for support tickets. */
export type ProviderRequestId = Branded<'ProviderRequestId'>;
export function ProviderRequestId(value: string): ProviderRequestId {
  return value as ProviderRequestId;
}

export interface TextBlock {
  type: 'text';
  text: string;
}
export interface ReasoningBlock {
  type: 'reasoning';
  text: string;
}
/** `arguments` is the model's own text, unparsed: it is logged and sent back byte for byte. */
export interface ToolCallBlock {
  type: 'tool-call';
  id: CallId;
  name: string;
  arguments: string;
}
export interface ToolResultBlock {
  type: 'tool-result';
  toolCallId: CallId;
  content: ContentBlock[];
  isError?: boolean;
}

/** Open: merge further block types under their `type`. */
export interface ContentBlockMap {
  text: TextBlock;
  reasoning: ReasoningBlock;
  'tool-call': ToolCallBlock;
  'tool-result': ToolResultBlock;
}
export type ContentBlockType = keyof ContentBlockMap;
export type ContentBlock = ContentBlockMap[ContentBlockType];

/** Who produced an assistant message. `replayState` is private JSON of the adapter that wrote it. */
export interface AssistantProvenance {
  provider: string;
  model: string;
  replayState?: unknown;
}

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: ContentBlock[];
  provenance?: AssistantProvenance;
}

/** Open: where a message or injected context came from. `user` attests direct human input. */
export interface MessageSourceMap {
  user: { kind: 'user' };
  plugin: { kind: 'plugin'; plugin: string };
}
export type MessageSource = MessageSourceMap[keyof MessageSourceMap];

/** Closed protocol between adapters and everything above them; consumers end with `assertNever`. */
export type StreamChunk =
  | { type: 'block-start'; index: number; blockType: ContentBlockType }
  | { type: 'text-delta'; index: number; text: string }
  | { type: 'reasoning-delta'; index: number; text: string }
  | { type: 'tool-call-delta'; index: number; id: CallId; name?: string; argumentsDelta: string }
  | { type: 'block-end'; index: number; block: ContentBlock }
  | { type: 'usage'; usage: TokenUsage }
  | { type: 'finish'; reason: FinishReason; replayState?: unknown };

/** Tokens of one call in disjoint buckets, except that `reasoningTokens` is a part of `outputTokens`. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** The facts of a failed model call, as plain JSON. Route on `code`, never on `message`. */
export interface LlmFailure {
  readonly message: string;
  readonly code: string;
  readonly status?: number;
  readonly providerRetryAfterMs?: number;
  readonly requestId?: ProviderRequestId;
}

/** Open: why a response stopped. */
export interface FinishReasonMap {
  stop: { kind: 'stop' };
  'tool-calls': { kind: 'tool-calls' };
  'max-tokens': { kind: 'max-tokens' };
  aborted: { kind: 'aborted'; failure: LlmFailure };
  error: { kind: 'error'; failure: LlmFailure };
}
export type FinishReason = FinishReasonMap[keyof FinishReasonMap];

export interface LlmCallConfig {
  provider: string;
  model: string;
  temperature?: number;
  maxTokens?: number;
  stop?: string[];
}

/** A tool as the model is told of it; `parameters` is a JSON Schema object. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** One model request, fully assembled. `sessionId` routes listeners; adapters ignore it. */
export interface GenerateOptions extends LlmCallConfig {
  messages: Message[];
  system?: string;
  tools?: ToolSchema[];
  signal?: AbortSignal;
  sessionId?: Branded<'SessionId'>;
  purpose?: 'compaction' | 'session-title';
}

export interface LlmProviderInfo {
  id: string;
  name: string;
}
export interface LlmModelInfo {
  provider: string;
  id: string;
  name: string;
  description?: string;
}
/** `contextWindow` is prompt plus completion, in tokens. */
export interface LlmModelContext {
  contextWindow: number;
}
export interface AppIdentity {
  product: string;
  version: string;
  url: string;
}
