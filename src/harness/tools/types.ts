import type { Agent, HookContext } from '../agent/types.ts';
import type { CallId, ContentBlock, ToolSchema } from '../llm/types.ts';

export type ToolExecuteReturn = ContentBlock[] | { content: ContentBlock[]; meta?: unknown };

/** A registered tool: what the model is told, and what runs. */
export interface ToolDefinition extends ToolSchema {
  execute(args: unknown, exec: ToolRunContext): Promise<ToolExecuteReturn>;
  /** Positive, finite; enforced by a wrapper, never shown to the model. */
  timeoutMs?: number;
  /** Pure and synchronous; only an exact `true` lets the call overlap with others. */
  isConcurrencySafe?(args: unknown): boolean;
  /** Pure: also used when a log is shown again. */
  presentCall?(args: unknown): ToolCallView | undefined;
  presentResult?(args: unknown, result: ToolResult): ToolResultView | undefined;
}

export interface ToolResult {
  content: ContentBlock[];
  isError: boolean;
  meta?: unknown;
}

declare const TOKEN: unique symbol;
/** Identity of one execution; it never leaves the process. */
export type ToolExecutionToken = symbol & { readonly [TOKEN]: true };

export interface ToolExecutionInput {
  readonly callId: CallId;
  readonly name: string;
  readonly arguments: unknown;
  readonly agent?: Agent;
  readonly parent?: ToolExecutionToken;
  readonly signal: AbortSignal;
}
export interface ToolExecution extends ToolExecutionInput {
  readonly token: ToolExecutionToken;
}
/** `signal` may be replaced in `tools/execute` only. */
export interface ToolDispatchExecution extends Omit<ToolExecution, 'signal'> {
  signal: AbortSignal;
}
export interface ToolRunContext extends ToolExecution {
  deferContext(context: HookContext): void;
}
export interface ToolErrorInfo {
  name: string;
  code: string;
}
export interface ToolExecutionResult {
  content: ContentBlock[];
  isError: boolean;
  error?: ToolErrorInfo;
  additionalContexts?: HookContext[];
  meta?: unknown;
}

export type PreToolDecision = { kind: 'allow' } | { kind: 'deny'; reason: string } | { kind: 'ask'; reason?: string };
export type PostToolDecision =
  | { kind: 'accept'; content?: ContentBlock[]; additionalContexts?: HookContext[] }
  | { kind: 'block'; feedback: ContentBlock[]; additionalContexts?: HookContext[] };
/** A returned string denies the call; `undefined` abstains. */
export type ToolGuard = (exec: Readonly<ToolExecution>) => string | undefined;
export interface ToolRestriction {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}
export type ToolExecutionMode = { kind: 'parallel' } | { kind: 'exclusive' };
export type ToolPresentationMode = 'native' | 'code' | 'both';

export type ToolCallKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';
/** `line` is 1-based. */
export interface FileLocation {
  path: string;
  line?: number;
}
/** `oldText` is null for a new file, or where the earlier content is not known. */
export interface FileDiff {
  path: string;
  oldText: string | null;
  newText: string;
}
export interface GenericCallView {
  card: 'generic';
  title: string;
  kind?: ToolCallKind;
  rawInput?: unknown;
  content?: ContentBlock[];
  locations?: FileLocation[];
}
/** `title` is the command. */
export interface TerminalCallView {
  card: 'terminal';
  title: string;
  description?: string;
  cwd?: string;
}
export interface DiffCallView {
  card: 'diff';
  title: string;
  diffs: FileDiff[];
  locations?: FileLocation[];
}
export type ToolCallView = GenericCallView | TerminalCallView | DiffCallView;
export interface GenericResultView {
  card: 'generic';
  title?: string;
  content?: ContentBlock[];
}
/** `exitCode` and `signal` exclude each other. */
export interface TerminalResultView {
  card: 'terminal';
  title?: string;
  output?: string;
  exitCode?: number;
  signal?: string;
}
export interface DiffResultView {
  card: 'diff';
  title?: string;
  diffs: FileDiff[];
}
export type ToolResultView = GenericResultView | TerminalResultView | DiffResultView;
