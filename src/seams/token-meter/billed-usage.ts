import type { TokenUsage } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import '../../harness/llm/auxiliary-call.ts';

/**
 * What providers charged for, in log order: one figure a step, one a call beside the conversation. Failed attempts
 * count: they report their usage in a chunk and leave no message.
 */
export function billedUsage(events: readonly SessionEvent[]): TokenUsage[] {
  const steps = new Map<string, { chunk?: TokenUsage; message?: TokenUsage }>();
  for (const event of events) {
    const reported = reportedUsage(event);
    if (!reported) continue;
    steps.set(reported.step, { ...steps.get(reported.step), ...reported.usage });
  }
  return [...steps.values()].flatMap(({ chunk, message }) => chunk ?? message ?? []);
}

/** Reasoning is a part of the output. */
export function totalTokensOf(usage: TokenUsage): number {
  return inputTokensOf(usage) + usage.outputTokens;
}

export function inputTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: TokenUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

function reportedUsage(event: SessionEvent) {
  if (event.type === 'llm/auxiliary') return { step: `auxiliary/${event.seq}`, usage: { message: event.data.usage } };
  if (event.type === 'assistant/chunk' && event.data.chunk.type === 'usage') {
    return { step: stepOf(event.data), usage: { chunk: event.data.chunk.usage } };
  }
  if (event.type !== 'assistant/message' || event.surfaceOp !== 'append' || !event.data.usage) return undefined;
  return { step: stepOf(event.data), usage: { message: event.data.usage } };
}

function stepOf({ turn, step }: { turn: number; step: number }): string {
  return `${turn}/${step}`;
}
