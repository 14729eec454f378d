import type { TokenUsage } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { totalTokensOf } from './billed-usage.ts';
import { estimateMessage } from './estimate.ts';
import type { PricedHeader } from './priced-header.ts';
import { providerReply } from './provider-reply.ts';
import type { TokenMeasurementBaseline } from './types.ts';

/** The last model call that came to its end: what was sent, and what came back. */
export interface Anchor {
  readonly header: PricedHeader | undefined;
  readonly surfaceTokens: number;
  readonly baseline: TokenMeasurementBaseline;
}

/** The header in force and the price of the history as they travelled in the request. */
export interface SentRequest {
  readonly header: PricedHeader | undefined;
  readonly surfaceTokens: number;
}

/** Throws as `providerReply` does. */
export function anchorOf(
  event: SessionEvent<'assistant/message'>,
  sent: SentRequest,
  eventAt: (seq: number) => SessionEvent | undefined,
): Anchor {
  const content = providerReply(event, eventAt);
  const received = content.length > 0 ? estimateMessage({ role: 'assistant', content }) : 0;
  const call = { ...sent, surfaceTokens: sent.surfaceTokens + received };
  return { ...call, baseline: baselineOf(event.data.usage, call) };
}

/**
 * A provider that reports less than our own price of the call is not believed: with its figure a later loss of surface
 * would bring the total to zero, and nothing would ever be compacted again.
 */
function baselineOf(usage: TokenUsage | undefined, { header, surfaceTokens }: SentRequest): TokenMeasurementBaseline {
  const estimated = (header?.tokens ?? 0) + surfaceTokens;
  if (!usage || !header || totalTokensOf(usage) < estimated)
    return Object.freeze({ kind: 'estimated', tokens: estimated });
  return Object.freeze({ kind: 'usage', tokens: totalTokensOf(usage), usage });
}
