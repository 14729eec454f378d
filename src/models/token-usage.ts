import type { TokenUsage } from '../harness/llm/types.ts';
import type { WireUsage } from './wire-chunk.ts';

/** Providers count cached tokens inside the prompt; our buckets are disjoint (L7). */
export function toTokenUsage(wire: WireUsage): TokenUsage {
  const cached = wire.prompt_cache_hit_tokens ?? wire.prompt_tokens_details?.cached_tokens;
  const reasoning = wire.completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: Math.max(0, (wire.prompt_tokens ?? 0) - (cached ?? 0)),
    outputTokens: wire.completion_tokens ?? 0,
    ...(cached != null && { cacheReadTokens: cached }),
    ...(reasoning != null && { reasoningTokens: reasoning }),
  };
}
