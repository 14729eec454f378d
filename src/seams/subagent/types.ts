import type { Agent, AgentOptions } from '../../harness/agent/types.ts';
import type { Branded } from '../../harness/kernel/branded.ts';
import type { ContentBlock, TokenUsage } from '../../harness/llm/types.ts';
import type { Scoped } from '../../harness/scope/scope.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { StructuredOutputSchema } from '../../harness/tools/output-schema.ts';
import type { ToolRestriction } from '../../harness/tools/types.ts';

/** Pairs the start and the end of one run: session ids may repeat. */
export type SubagentRunId = Branded<'SubagentRunId'>;

export interface SubagentCapabilities {
  readonly outputSchema: boolean;
  readonly depthLimit: boolean;
  readonly toolFilter: boolean;
  readonly persona: boolean;
}

export interface SubagentStartRequest {
  readonly prompt: ContentBlock[];
  /** Who delegates: its directory, lineage and depth are the child's. */
  readonly parent: Agent;
  /** The only way to cancel, before the child exists and after. */
  readonly signal: AbortSignal;
  readonly agentOptions?: AgentOptions;
  /** The child then answers by a checked value; see `SubagentResult.structured`. */
  readonly outputSchema?: StructuredOutputSchema;
  /** The greatest depth the child may have, counted from the root. */
  readonly maxDepth?: number;
  /** Over the tools that every agent has. */
  readonly toolFilter?: ToolRestriction;
  /** Stands in the child's prompt where the deployment's persona stands in others. */
  readonly persona?: string;
  /** A few words for people who look on. */
  readonly label?: string;
}

/** Open; the value is the key. */
export interface SubagentStopReasonMap {
  completed: 'completed';
  aborted: 'aborted';
  error: 'error';
  'max-tokens': 'max-tokens';
  refusal: 'refusal';
}
export type SubagentStopReason = SubagentStopReasonMap[keyof SubagentStopReasonMap];

/** What a child changed in a tree of its own. The parent's tree has none of it until it takes it over. */
export interface SubagentPatch {
  /** By which the parent takes it over. */
  readonly id: string;
  /** Files and counts, for people and models. */
  readonly stat: string;
  /** Unified. */
  readonly diff: string;
  /** Paths of changes that cannot be taken over, with the reason. */
  readonly leftOut: readonly string[];
}

export interface SubagentResult {
  readonly output: ContentBlock[];
  readonly structured?: unknown;
  readonly stopReason: SubagentStopReason;
  /** Of a child that worked on a tree of its own and finished; absent where it changed nothing. */
  readonly patch?: SubagentPatch;
}

/** A live child. Whoever started it disposes it, on every path. */
export interface SubagentRun {
  /** Of a local run the id of the child's session. */
  readonly id: SessionId;
  readonly localAgent: Agent | undefined;
  /** Rejects only where the machinery failed; a child that failed is a result. */
  readonly result: Promise<SubagentResult>;
  dispose(): Promise<void>;
  /** Absent where the provider cannot. */
  sendMessage?(content: ContentBlock[]): void;
  /** Absent where the provider cannot. */
  resume?(content: ContentBlock[]): Promise<SubagentRun>;
}

export interface SubagentProvider {
  readonly name: string;
  readonly capabilities: SubagentCapabilities;
  /** Whether the child has seen what the parent's completed turns hold. */
  readonly inheritsParentContext: boolean;
  /** Each child has a tree of its own: several may write side by side. */
  readonly isIsolated?: boolean;
  /** Fulfils with a child that is ready and published; a rejection leaves nothing behind. */
  start(request: SubagentStartRequest): Promise<SubagentRun>;
}

export interface SubagentRunInfo {
  readonly runId: SubagentRunId;
  readonly provider: string;
  readonly id: SessionId;
  readonly local: boolean;
  readonly label?: string;
}
export interface SubagentRunEndInfo extends SubagentRunInfo {
  readonly stopReason: SubagentStopReason;
  readonly lastAssistantMessage?: ContentBlock[];
  /** Id of what it changed in a tree of its own. */
  readonly patch?: string;
}

/** What one model route was paid for. */
export interface SubagentSpending {
  provider: string;
  model: string;
  usage: TokenUsage;
}

declare module '../../harness/agent/types.ts' {
  interface AgentOptions {
    /** May only deepen what the session's header says. */
    subagentDepth?: number;
  }
}

declare module '../../harness/kernel/context.ts' {
  interface Events {
    /** Scoped to the parent; always before its end, which has the same `runId`. */
    'subagent/start'(this: Scoped<Agent>, info: SubagentRunInfo): void;
    'subagent/end'(this: Scoped<Agent>, info: SubagentRunEndInfo): void;
    /** A synchronous throw takes the provider back. */
    'subagent/provider-added'(provider: SubagentProvider): void;
    'subagent/provider-removed'(name: string): void;
  }
}

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** Log-only, in the parent's log: one pair for each local child. */
    'subagent/started': { turn: number; runId: string; provider: string; session: SessionId; label?: string };
    'subagent/ended': {
      turn: number;
      runId: string;
      session: SessionId;
      stopReason: SubagentStopReason;
      steps: number;
      spent: SubagentSpending[];
      patch?: string;
    };
  }
}
