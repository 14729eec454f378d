import type { Context } from '../harness/kernel/context.ts';
import { isAgentLoopRequest } from '../harness/llm/agent-loop-request.ts';
import { BlockAssembler } from '../harness/llm/block-assembler.ts';
import { HarnessError } from '../harness/llm/errors.ts';
import type {} from '../harness/llm/llm-service.ts';
import type { StreamChunk } from '../harness/llm/types.ts';
import type { SessionEvent, SessionId } from '../harness/session/types.ts';
import { recordedCalls } from './recorded-calls.ts';
import type { RecordedCall } from './recorded-calls.ts';

export interface RecordedConfig {
  /** The log of each session whose loop is to be answered from its own past. */
  recordings: ReadonlyMap<SessionId, readonly SessionEvent[]>;
}

/**
 * Answers the loop's requests with the chunks a log recorded, in order, one cursor per session. Requests of other
 * sessions and auxiliary calls pass. Needs no key and no network. A request too many throws `RECORDING_EXHAUSTED`.
 */
export const recorded = {
  name: 'recorded-model',
  apply(ctx: Context, { recordings }: RecordedConfig): void {
    const cursors = new Map([...recordings].map(([id, events]) => [id, recordedCalls(events).values()]));
    ctx.on('llm/stream', (options, next) => {
      const cursor = options.sessionId && isAgentLoopRequest(options) ? cursors.get(options.sessionId) : undefined;
      return cursor ? replay(cursor.next().value) : next();
    });
  },
};

/** A recorded failure becomes an error finish: what a listener throws would not count as the model's failure. */
async function* replay(call: RecordedCall | undefined): AsyncGenerator<StreamChunk, void, void> {
  if (!call) throw new HarnessError('the recording has no further model call', 'RECORDING_EXHAUSTED');
  const assembler = new BlockAssembler();
  for (const chunk of call.chunks) {
    assembler.push(chunk);
    yield chunk;
  }
  const { failure } = call;
  if (!failure) return;
  yield* assembler.closers();
  yield { type: 'finish', reason: { kind: failure.code === 'ABORTED' ? 'aborted' : 'error', failure } };
}
