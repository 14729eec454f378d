import type { Branded } from '../kernel/branded.ts';
import type {
  CallId,
  ContentBlock,
  AssistantProvenance,
  LlmCallConfig,
  LlmFailure,
  Message,
  MessageSource,
  StreamChunk,
  TokenUsage,
  ToolSchema,
} from '../llm/types.ts';

/** Names both the live agent and its stored session. */
export type SessionId = Branded<'SessionId'>;
export function SessionId(value: string): SessionId {
  return value as SessionId;
}

export const SESSION_FORMAT_VERSION = 0;

/** Lossless JSON: finite numbers, no -0. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Storage facts of a session; they are not events. `createdAt` is epoch milliseconds. */
export interface SessionHeader {
  readonly version: number;
  readonly id: SessionId;
  readonly createdAt: number;
  readonly cwd?: string;
  readonly parentSession?: SessionId;
  readonly seedLength?: number;
  readonly delegationDepth?: number;
}

export interface CreateSessionOptions {
  readonly seed?: readonly SessionEvent[];
  readonly meta?: {
    cwd?: string;
    parentSession?: SessionId;
    createdAt?: number;
    seedLength?: number;
    delegationDepth?: number;
  };
}

/** Open: what opened a turn. */
export interface TurnTriggerMap {
  message: { kind: 'message'; source: MessageSource };
  injection: { kind: 'injection'; source: MessageSource };
}
export type TurnTrigger = TurnTriggerMap[keyof TurnTriggerMap];

/** Open: how a turn ended. `error` never carries both shapes. */
export interface TurnEndReasonMap {
  completed: { kind: 'completed' };
  aborted: { kind: 'aborted' };
  disposed: { kind: 'disposed' };
  'max-tokens': { kind: 'max-tokens' };
  rejected: { kind: 'rejected'; reason: string };
  interrupted: { kind: 'interrupted' };
  error: { kind: 'error'; step: number } & ({ failure: LlmFailure } | { message: string; code?: string });
}
export type TurnEndReason = TurnEndReasonMap[keyof TurnEndReasonMap];

export interface PromptPrefixContext {
  source: MessageSource;
  meta?: JsonValue;
}
/** Keeps what the human wrote when prefix contexts were baked into `content`. */
export interface PromptMessageEnvelope {
  displayContent: ContentBlock[];
  prefixContexts: PromptPrefixContext[];
}
export interface PromptMessageData {
  content: ContentBlock[];
  source: MessageSource;
  envelope?: PromptMessageEnvelope;
}

export interface TodoItem {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** Everything of a request besides its history. */
export interface EpochHeader {
  config: LlmCallConfig;
  system?: string;
  tools?: ToolSchema[];
  messagePrefix?: Message[];
}
export type RequestHeaderReason = 'initial' | 'resume' | 'change';

export interface ToolErrorFacts {
  name: string;
  code: string;
}

/** Open: every fact of a session. A switch over it keeps a default branch. */
export interface SessionEventMap {
  'turn/start': { turn: number; trigger: TurnTrigger };
  'turn/end': { turn: number; reason: TurnEndReason };
  'step/start': { turn: number; step: number };
  'step/end': { turn: number; step: number };
  'user/message': PromptMessageData;
  'prompt/blocked': { content: ContentBlock[]; source: MessageSource; reason: string };
  'context/message': { content: ContentBlock[]; source: MessageSource; meta?: JsonValue };
  'steering/message': PromptMessageData & { turn: number };
  'request/header': { header: EpochHeader; reason: RequestHeaderReason };
  'request/digest': { turn: number; step: number; sha256: string };
  'assistant/chunk': { turn: number; step: number; chunk: StreamChunk };
  'assistant/message': {
    turn: number;
    step: number;
    content: ContentBlock[];
    provenance: AssistantProvenance;
    usage?: TokenUsage;
  };
  'tool/call': { turn: number; step: number; callId: CallId; name: string; arguments: string };
  'tool/result': {
    turn: number;
    step: number;
    callId: CallId;
    content: ContentBlock[];
    isError: boolean;
    error?: ToolErrorFacts;
    meta?: JsonValue;
  };
  'todo/write': { todos: TodoItem[] };
}
export type SessionEventType = keyof SessionEventMap;

/** The events that become messages of the derived history. */
export type SurfaceEventType =
  'user/message' | 'assistant/message' | 'tool/result' | 'context/message' | 'steering/message';

/** `replace` names both ends, inclusive, by seq. */
export type SurfaceOp = 'append' | { op: 'replace'; start: number; end: number };
export interface SurfaceIntent {
  surfaceOp: SurfaceOp;
  sourceEventSeqs?: number[];
}

/** One immutable entry of the log; `time` is epoch milliseconds. */
export type SessionEvent<T extends SessionEventType = SessionEventType> = {
  [K in SessionEventType]: {
    type: K;
    seq: number;
    time: number;
    data: SessionEventMap[K];
  } & (K extends SurfaceEventType ? { sourceEventSeqs?: number[]; surfaceOp?: SurfaceOp } : object);
}[T];
export type SurfaceEvent = SessionEvent<SurfaceEventType> & { surfaceOp: SurfaceOp };

export interface SessionSurface {
  readonly nodes: readonly number[];
  readonly replaceGeneration: number;
}
export interface SurfaceFoldReplacement {
  seq: number;
  start: number;
  end: number;
  shadowedSeqs: number[];
}
export interface SurfaceFoldResult {
  nodes: number[];
  replacements: SurfaceFoldReplacement[];
}

/** Open: owners opt single log-only types into `appendOutOfBand` by merging the same key. */
export interface OutOfBandSessionEventMap {}
