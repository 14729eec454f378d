import { LlmAdapter } from '../../src/harness/llm/llm-adapter.ts';
import { HarnessError, LlmError } from '../../src/harness/llm/errors.ts';
import { CallId } from '../../src/harness/llm/types.ts';
import type {
  ContentBlock,
  FinishReason,
  GenerateOptions,
  StreamChunk,
  TokenUsage,
} from '../../src/harness/llm/types.ts';

/** One answer of the model, in order: chunks to send, and an error to throw after them. */
export interface ScriptedReply {
  readonly chunks: readonly StreamChunk[];
  readonly error?: Error;
  /** Awaited before the first chunk. */
  readonly before?: (options: GenerateOptions) => Promise<unknown> | unknown;
  /** Awaited after the blocks and before the usage and the end. */
  readonly beforeEnd?: (options: GenerateOptions) => Promise<unknown> | unknown;
}

const USAGE: TokenUsage = { inputTokens: 10, outputTokens: 5 };
let lastCallId = 0;

/** A final text. */
export function says(text: string, usage: TokenUsage = USAGE): ScriptedReply {
  return reply([{ type: 'text', text }], { kind: 'stop' }, usage);
}

/** One tool call; arguments that are a string are sent as they are. */
export function calls(name: string, args: unknown = {}, id?: string): ScriptedReply {
  return callsAll([name, args, id]);
}

/** Several tool calls in one reply. */
export function callsAll(...made: [name: string, args?: unknown, id?: string][]): ScriptedReply {
  return reply(
    made.map(([name, args = {}, id]) => callBlock(name, args, id)),
    { kind: 'tool-calls' },
  );
}

/** A reply that was cut at the token limit after these blocks. */
export function isCut(...content: ContentBlock[]): ScriptedReply {
  return reply(content, { kind: 'max-tokens' });
}

/** The adapter throws, after some text if there is any. */
export function fails(code: string, text = ''): ScriptedReply {
  const { chunks } = reply(text ? [{ type: 'text', text }] : [], { kind: 'stop' });
  return { chunks: chunks.slice(0, -2), error: new LlmError(`scripted ${code}`, code) };
}

/** The stream itself ends with an error. */
export function finishesWithError(code: string): ScriptedReply {
  return reply([], { kind: 'error', failure: { message: `scripted ${code}`, code } });
}

/** Answers only once the request is aborted, and then as adapters do. */
export function hangs(text = ''): ScriptedReply {
  return { ...fails('ABORTED', text), beforeEnd: ({ signal }) => aborted(signal!) };
}

/** Any blocks and any end, as a well-formed stream. */
export function reply(
  content: readonly ContentBlock[],
  reason: FinishReason,
  usage: TokenUsage = USAGE,
  replayState?: unknown,
): ScriptedReply {
  const finish: StreamChunk = { type: 'finish', reason, ...(replayState !== undefined && { replayState }) };
  return { chunks: [...content.flatMap(blockChunks), { type: 'usage', usage }, finish] };
}

export function callBlock(name: string, args: unknown = {}, id = `c${(lastCallId += 1)}`): ContentBlock {
  return { type: 'tool-call', id: CallId(id), name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

function blockChunks(block: ContentBlock, index: number): StreamChunk[] {
  const start: StreamChunk = { type: 'block-start', index, blockType: block.type };
  const end: StreamChunk = { type: 'block-end', index, block };
  switch (block.type) {
    case 'text':
      return [start, { type: 'text-delta', index, text: block.text }, end];
    case 'reasoning':
      return [start, { type: 'reasoning-delta', index, text: block.text }, end];
    case 'tool-call':
      return [
        start,
        { type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: block.arguments },
        end,
      ];
    default:
      return [start, end];
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A model that answers from a list and keeps every request it got. As real ones, it stops when it is aborted. */
export class ScriptedModel extends LlmAdapter {
  readonly requests: GenerateOptions[] = [];
  readonly #script: ScriptedReply[];

  constructor(script: readonly ScriptedReply[] = []) {
    super();
    this.#script = [...script];
  }

  /** Adds replies to the end of the script. */
  add(...replies: ScriptedReply[]): void {
    this.#script.push(...replies);
  }

  async *stream(options: GenerateOptions): AsyncGenerator<StreamChunk, void, void> {
    this.requests.push(options);
    const next = this.#script.shift();
    if (!next) throw new HarnessError('the script has no reply left', 'SCRIPT_EXHAUSTED');
    await next.before?.(options);
    for (const chunk of next.chunks) {
      if (chunk.type === 'usage') await next.beforeEnd?.(options);
      if (options.signal?.aborted) throw new LlmError('aborted', 'ABORTED');
      yield chunk;
    }
    if (!next.error) return;
    await next.beforeEnd?.(options);
    throw next.error;
  }
}
