import type { GenerateOptions, TokenUsage } from './types.ts';

declare module '../session/types.ts' {
  interface SessionEventMap {
    /** A model call beside the conversation, such as a summary: what it cost. Log-only. */
    'llm/auxiliary': {
      turn: number;
      purpose: NonNullable<GenerateOptions['purpose']>;
      provider: string;
      model: string;
      usage: TokenUsage;
    };
  }
}
