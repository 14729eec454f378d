import { LlmError } from '../harness/llm/errors.ts';
import type { ContentBlock, FinishReason, StreamChunk, TokenUsage } from '../harness/llm/types.ts';
import { inStreamFailure } from './http-failure.ts';
import { toTokenUsage } from './token-usage.ts';
import type { CollectedCall } from './tool-call-collector.ts';
import { ToolCallCollector, toolCallBlock } from './tool-call-collector.ts';
import { WireChunk } from './wire-chunk.ts';
import type { WireDelta } from './wire-chunk.ts';

export interface ReplyContext {
  /** For calls that came without one. */
  newCallId(): string;
  /** Takes secrets out of what a server said, before it becomes part of an error. */
  redact(text: string): string;
}

interface TextBlockState {
  type: 'text' | 'reasoning';
  text: string;
}
type BlockState = TextBlockState | CollectedCall;

/**
 * Turns the pieces of one reply into chunks. Blocks stay open until the end mark: a stream that breaks off never
 * ends a tool call, so a cut one cannot run.
 */
export class ReplyMapper {
  readonly #context: ReplyContext;
  readonly #calls: ToolCallCollector;
  readonly #blocks: BlockState[] = [];
  #usage: TokenUsage | undefined;
  #finishReason: string | undefined;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#calls = new ToolCallCollector(context.newCallId);
  }

  /** The chunks of one piece. Throws `MALFORMED_RESPONSE`, or the failure the piece reports. */
  push(data: string): StreamChunk[] {
    const { choices, usage, error } = parsePiece(data, this.#context);
    if (error != null) throw inStreamFailure(error, this.#context.redact);
    if (usage) this.#usage = toTokenUsage(usage);
    const choice = choices?.[0];
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    const delta = choice?.delta ?? choice?.message;
    return delta ? this.#pushDelta(delta) : [];
  }

  /** The closing chunks, to be asked for once, after the server's end mark. */
  end(): StreamChunk[] {
    if (this.#finishReason === undefined) {
      throw new LlmError('the model stream ended without a finish reason', 'STREAM_CLOSED');
    }
    return [
      ...this.#blocks.map((block, index): StreamChunk => ({ type: 'block-end', index, block: finishedBlock(block) })),
      ...(this.#usage ? [{ type: 'usage', usage: this.#usage } as const] : []),
      { type: 'finish', reason: toFinishReason(this.#finishReason, this.#blocks.length > 0) },
    ];
  }

  #pushDelta(delta: WireDelta): StreamChunk[] {
    const chunks: StreamChunk[] = [];
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (reasoning) this.#pushText('reasoning', reasoning, chunks);
    if (delta.content) this.#pushText('text', delta.content, chunks);
    for (const piece of delta.tool_calls ?? []) this.#pushCall(piece, chunks);
    return chunks;
  }

  #pushText(type: 'text' | 'reasoning', text: string, chunks: StreamChunk[]): void {
    const isOfType = (block: BlockState): block is TextBlockState => 'type' in block && block.type === type;
    let state = this.#blocks.find(isOfType);
    if (!state) {
      state = { type, text: '' };
      chunks.push(this.#open(state, type));
    }
    state.text += text;
    chunks.push({ type: `${type}-delta`, index: this.#blocks.indexOf(state), text });
  }

  #pushCall(piece: Parameters<ToolCallCollector['add']>[0], chunks: StreamChunk[]): void {
    const call = this.#calls.add(piece);
    if (!this.#blocks.includes(call)) chunks.push(this.#open(call, 'tool-call'));
    const { name, arguments: text } = piece.function ?? {};
    chunks.push({
      type: 'tool-call-delta',
      index: this.#blocks.indexOf(call),
      id: call.id,
      ...(name && { name: call.name }),
      argumentsDelta: text ?? '',
    });
  }

  #open(state: BlockState, blockType: ContentBlock['type']): StreamChunk {
    return { type: 'block-start', index: this.#blocks.push(state) - 1, blockType };
  }
}

/** Without `cause`: a parser quotes what it could not read. */
function parsePiece(data: string, { redact }: ReplyContext): WireChunk {
  try {
    return WireChunk.parse(JSON.parse(data));
  } catch {
    const shown = redact(data).slice(0, 200);
    throw new LlmError(`the model server sent a piece that cannot be read: ${shown}`, 'MALFORMED_RESPONSE');
  }
}

function finishedBlock(state: BlockState): ContentBlock {
  return 'type' in state ? { type: state.type, text: state.text } : toolCallBlock(state);
}

function toFinishReason(reason: string, hasBlocks: boolean): FinishReason {
  switch (reason) {
    case 'stop':
    case 'tool_calls':
      if (!hasBlocks) return errorFinish('the model ended its reply without any content', 'EMPTY_RESPONSE');
      return { kind: reason === 'stop' ? 'stop' : 'tool-calls' };
    case 'length':
      return { kind: 'max-tokens' };
    default:
      return errorFinish(`the model server ended the reply with '${reason}'`, reason.toUpperCase());
  }
}

function errorFinish(message: string, code: string): FinishReason {
  return { kind: 'error', failure: { message, code } };
}
