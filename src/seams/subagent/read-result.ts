import { findLastMessageTurnEnd } from '../../harness/session/find-last-message-turn-end.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import type { StructuredCapture } from './structured-output.ts';
import type { SubagentResult, SubagentStopReason } from './types.ts';

export interface ChildEnd {
  /** The child's own events: nothing of a seed. */
  readonly events: readonly SessionEvent[];
  readonly isCancelled: boolean;
  /** Present where a value was asked for. */
  readonly structured: StructuredCapture | undefined;
}

/** What a child came to, read off its log. Pure. */
export function readResult({ events, isCancelled, structured }: ChildEnd): SubagentResult {
  const output = lastAnswer(events);
  const reason = stopReasonOf(events);
  const hasAnswered = structured === undefined || structured.isCommitted;
  const reached = reason === 'completed' && !hasAnswered ? 'error' : reason;
  const stopReason = reached !== 'completed' && isCancelled ? 'aborted' : reached;
  return { output, stopReason, ...(structured?.isCommitted && { structured: structured.value }) };
}

function stopReasonOf(events: readonly SessionEvent[]): SubagentStopReason {
  const kind = findLastMessageTurnEnd(events)?.data.reason.kind;
  return kind === 'completed' || kind === 'max-tokens' || kind === 'aborted' ? kind : 'error';
}

/** The last message that says something; a last step of mere calls does not hide it. Else what was streamed. */
function lastAnswer(events: readonly SessionEvent[]): ContentBlock[] {
  for (const event of events.toReversed()) {
    if (event.type !== 'assistant/message') continue;
    const said = event.data.content.filter((block) => block.type === 'text' && block.text.trim() !== '');
    if (said.length > 0) return said;
  }
  const text = streamedText(events);
  return text === '' ? [] : [{ type: 'text', text }];
}

function streamedText(events: readonly SessionEvent[]): string {
  return events
    .flatMap(({ type, data }) =>
      type === 'assistant/chunk' && data.chunk.type === 'text-delta' ? [data.chunk.text] : [],
    )
    .join('');
}
