import type {} from '../harness/llm/llm-retry.ts';
import type { LlmFailure, StreamChunk } from '../harness/llm/types.ts';
import type { SessionEvent } from '../harness/session/types.ts';

/** One model call of a log, ready to be served again. */
export interface RecordedCall {
  chunks: StreamChunk[];
  /** Why the stream broke off; absent where it reached its `finish`. */
  failure?: LlmFailure;
}

const BROKEN_OFF: LlmFailure = { message: 'the recorded stream broke off', code: 'STREAM_CLOSED' };
const STOPPED: LlmFailure = { message: 'the recorded stream was stopped', code: 'ABORTED' };

/** The model calls of a log in order, grouped by turn and step; failed calls that never sent a chunk are among them. */
export function recordedCalls(events: readonly SessionEvent[]): RecordedCall[] {
  const calls = new CallGroups();
  for (const event of events) {
    switch (event.type) {
      case 'request/digest':
        calls.at(event.data.turn, event.data.step);
        break;
      case 'assistant/chunk':
        calls.at(event.data.turn, event.data.step).chunks.push(event.data.chunk);
        break;
      case 'llm/retry':
        calls.at(event.data.turn, event.data.step).failure = event.data.failure;
        break;
      case 'turn/end':
        endTurn(calls, event.data);
        break;
      default: // nothing else tells of a model call
    }
  }
  return calls.all();
}

function endTurn(calls: CallGroups, { turn, reason }: SessionEvent<'turn/end'>['data']): void {
  if (reason.kind === 'error' && 'failure' in reason) calls.at(turn, reason.step).failure = reason.failure;
  else if (reason.kind !== 'error') calls.stop(turn);
}

class CallGroups {
  readonly #calls = new Map<string, RecordedCall>();

  at(turn: number, step: number): RecordedCall {
    const key = `${turn}/${step}`;
    const call = this.#calls.get(key) ?? { chunks: [] };
    this.#calls.set(key, call);
    return call;
  }

  /** The turn ended early and on purpose, so a call that was open was stopped and not broken. */
  stop(turn: number): void {
    for (const [key, call] of this.#calls) {
      if (key.startsWith(`${turn}/`) && !isFinished(call)) call.failure ??= STOPPED;
    }
  }

  all(): RecordedCall[] {
    return [...this.#calls.values()].map((call) =>
      isFinished(call) ? { chunks: call.chunks } : { chunks: call.chunks, failure: call.failure ?? BROKEN_OFF },
    );
  }
}

function isFinished({ chunks }: RecordedCall): boolean {
  return chunks.at(-1)?.type === 'finish';
}
