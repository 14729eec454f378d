import { BlockAssembler } from '../llm/block-assembler.ts';
import { llmFailureOf } from '../llm/call-failures.ts';
import { LlmError } from '../llm/errors.ts';
import type { FinishReason, GenerateOptions, LlmFailure } from '../llm/types.ts';
import type { FailedRequest } from './recover-request.ts';
import type { Turn } from './turn.ts';
import type { RequestError } from './types.ts';

/** A reply that came to its end, and the seqs of its chunks in the log. */
export interface Reply {
  readonly kind: 'reply';
  readonly assembler: BlockAssembler;
  readonly chunkSeqs: number[];
}

/** Streams one request into the log. Only what the adapter of this very call did wrong is a failed request. */
export async function streamReply(turn: Turn, request: GenerateOptions): Promise<Reply | FailedRequest> {
  const stream = turn.loop.services.llm.stream(request);
  const reply: Reply = { kind: 'reply', assembler: new BlockAssembler(), chunkSeqs: [] };
  try {
    await readAll(turn, stream, reply);
  } catch (error) {
    const failure = llmFailureOf(stream, error);
    if (!failure) throw error;
    return { kind: 'failed', error: error as RequestError, failure };
  }
  const failure = failureOf(reply.assembler.finish);
  return failure ? { kind: 'failed', error: errorOf(failure), failure } : reply;
}

/** A chunk is logged before anything is made of it, also the last one before an interruption. */
async function readAll(
  turn: Turn,
  stream: ReturnType<typeof turn.loop.services.llm.stream>,
  reply: Reply,
): Promise<void> {
  const { loop, number, step } = turn;
  for await (const chunk of stream) {
    const event = loop.session.append('assistant/chunk', { turn: number, step, chunk });
    reply.chunkSeqs.push(event.seq);
    reply.assembler.push(event.data.chunk);
    turn.checkpoint();
  }
}

function failureOf(finish: FinishReason): LlmFailure | undefined {
  return finish.kind === 'error' || finish.kind === 'aborted' ? finish.failure : undefined;
}

function errorOf({ message, code, ...facts }: LlmFailure): LlmError {
  return new LlmError(message, code, facts);
}
