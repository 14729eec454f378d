import type { ContentBlock, Message, ToolSchema } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';

/** `pressure`: the next request is about to be too large. `context-overflow`: a provider has refused one. */
export type CompactionTrigger = 'pressure' | 'context-overflow';

/** What compaction needs of an agent. */
export interface CompactAgentContext {
  readonly session: Session;
  readonly options: { provider?: string; model?: string };
}

/** A stretch of the surface that became one summary. All numbers are seqs, but for the tokens. */
export interface CompactionResult {
  readonly startSeq: number;
  readonly summarySeq: number;
  readonly endSeq: number;
  readonly summary: ContentBlock[];
  /** First and last node in surface order: `start` may be the greater number. */
  readonly shadowedRange: { start: number; end: number };
  readonly shadowedSeqs: number[];
  readonly shadowedTokenCount: number;
}

/** Service `ctx.compact`: replaces old parts of the history by summaries, all of it in the log. */
export abstract class CompactService {
  /**
   * Does what the trigger asks for, by the policy of the route last used. `null` where there was nothing to do, or no
   * place to cut. Throws where it had to do something and could not.
   */
  abstract compactIfNeeded(
    agent: CompactAgentContext,
    trigger: CompactionTrigger,
    signal: AbortSignal,
  ): Promise<CompactionResult | null>;
  /** Replaces the nodes from `start` to `end`, inclusive, in surface order. */
  abstract compactRegion(
    start: number,
    end: number,
    agent: CompactAgentContext,
    signal?: AbortSignal,
  ): Promise<CompactionResult>;
}

/** What is summarized: the request as it went out last, with the messages of the region for its history. */
export interface SummarizationInput {
  readonly system?: string;
  readonly tools?: ToolSchema[];
  readonly messages: Message[];
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    compact: CompactService;
  }
}

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** Also the lock: until its `compact/end` no other compaction of this turn may begin. */
    'compact/start': { turn: number };
    /** The proof for the `user/message` that follows and replaces the shadowed nodes. */
    'compact/summary': {
      summary: ContentBlock[];
      shadowedRange: { start: number; end: number };
      shadowedSeqs: number[];
      shadowedTokenCount: number;
      provider: string;
      model: string;
      maxTokens?: number;
    };
    'compact/end': { turn: number; error?: string };
  }
}
