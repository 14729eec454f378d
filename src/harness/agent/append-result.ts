import type { CallId, ContentBlock } from '../llm/types.ts';
import type { JsonValue, ToolErrorFacts } from '../session/types.ts';
import type { Turn } from './turn.ts';

export interface LoggedResult {
  readonly content: ContentBlock[];
  readonly isError: boolean;
  readonly error?: ToolErrorFacts | undefined;
  readonly meta?: unknown;
}

/** Logs a result under the model's own call id; `callSeq` is absent only for a call that was never started. */
export function appendResult(
  turn: Turn,
  at: { step: number; callId: CallId; callSeq?: number | undefined },
  { content, isError, error, meta }: LoggedResult,
): void {
  const { step, callId, callSeq } = at;
  const data = {
    turn: turn.number,
    step,
    callId,
    content,
    isError,
    ...(error !== undefined && { error }),
    ...(meta !== undefined && { meta: meta as JsonValue }),
  };
  const sources = callSeq === undefined ? {} : { sourceEventSeqs: [callSeq] };
  turn.loop.session.append('tool/result', data, { surfaceOp: 'append', ...sources });
}
