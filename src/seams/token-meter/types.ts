import type { Message, TokenUsage } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type { EpochHeader } from '../../harness/session/types.ts';

/** There is nothing to set: any key is refused at construction. */
export type TokenMeterConfig = Record<string, never>;

/** What a measurement starts from: `usage` is what the provider reported for the last call, `estimated` our own price. */
export type TokenMeasurementBaseline =
  | { readonly kind: 'none'; readonly tokens: 0 }
  | { readonly kind: 'estimated'; readonly tokens: number }
  | { readonly kind: 'usage'; readonly tokens: number; readonly usage: Readonly<TokenUsage> };

export interface TokenSurfaceNode {
  readonly seq: number;
  readonly tokens: number;
}

export interface TokenMeasurement {
  /** Number of events folded so far. */
  readonly logRevision: number;
  readonly baseline: TokenMeasurementBaseline;
  /** What the surface gained, or lost, since the call the baseline is about. */
  readonly surfaceDeltaTokens: number;
  /** What the next request weighs; never negative. */
  readonly totalTokens: number;
  readonly surfaceTokens: number;
  /** In the order the model sees, which is not that of the seqs. */
  readonly nodes: readonly TokenSurfaceNode[];
}

/** What the next request of a session weighs, and what each node of its history costs, from the log alone. */
export interface TokenMeter {
  /**
   * Folds what is new in the log and returns one deep-frozen measurement. `requestHeader` stands in for the logged
   * header; the surface is the same with and without it.
   * @throws on an event no session of ours would hold, and again on every later call
   */
  measure(session: Session, requestHeader?: EpochHeader): TokenMeasurement;
  estimateMessage(message: Message): number;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    tokenMeter: TokenMeter;
  }
}
