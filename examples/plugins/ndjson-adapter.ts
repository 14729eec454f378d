/**
 * A model adapter: it turns one request into chunks, and that is all. Routing, retries, the log and the tools live
 * outside of it. This one speaks to a small server of one's own: the request as JSON, the answer as one JSON line a piece.
 *
 * In a bot: `createBot({ …, adapters: { handbook: new NdjsonAdapter({ url, fetch }) } })` and `DSH_MODEL=handbook/…`.
 */
import { CallId, LlmAdapter, LlmError } from 'dsh-github/llm';
import type { ContentBlock, GenerateOptions, Message, StreamChunk } from 'dsh-github/llm';

/** What our server can say beside text. Merging it makes it a block everywhere: in chunks, in the log, in the history. */
export interface CitationBlock {
  type: 'citation';
  title: string;
  url: string;
}

declare module 'dsh-github/llm' {
  interface ContentBlockMap {
    citation: CitationBlock;
  }
}

/** One line of the answer. */
export type AnswerLine =
  | { text: string }
  | { cite: { title: string; url: string } }
  | { call: { id: string; name: string; arguments: unknown } }
  | { used: { input: number; output: number } };

export interface NdjsonOptions {
  readonly url: string;
  /** Passed in, so that tests need no network. */
  readonly fetch: typeof fetch;
}

export class NdjsonAdapter extends LlmAdapter {
  readonly #options: NdjsonOptions;

  constructor(options: NdjsonOptions) {
    super();
    this.#options = options;
  }

  async *stream(options: GenerateOptions): AsyncGenerator<StreamChunk, void, void> {
    const reply = new Reply();
    for await (const line of this.#ask(options)) yield* reply.chunks(line);
    // Every stream ends with exactly one `finish`; a stream that just stops is a failure.
    yield { type: 'finish', reason: { kind: reply.hasCalls ? 'tool-calls' : 'stop' } };
  }

  async *#ask({ signal, model, system, messages, tools }: GenerateOptions): AsyncGenerator<AnswerLine> {
    const body = JSON.stringify({ model, system, tools, messages: messages.map(toWire) });
    const response = await this.#options.fetch(this.#options.url, { method: 'POST', body, signal: signal ?? null });
    // The code is what retries and people go by: RATE_LIMIT and SERVER are tried again, AUTH is not.
    if (!response.ok || !response.body) {
      throw new LlmError(`the server answered ${response.status}`, codeOf(response.status), {
        status: response.status,
      });
    }
    let rest = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as AnswerLine;
    }
    if (rest !== '') throw new LlmError('the answer ends within a line', 'STREAM_CLOSED');
  }
}

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'AUTH';
  if (status === 429) return 'RATE_LIMIT';
  return status >= 500 ? 'SERVER' : 'INVALID_REQUEST';
}

/** Our server knows text only, so every block is told as text. The default branch keeps blocks of other plugins out. */
function toWire({ role, content }: Message): { role: string; text: string } {
  return { role, text: content.map(textOf).filter(Boolean).join('\n') };
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'citation':
      return `[${block.title}](${block.url})`;
    case 'tool-call':
      return `call ${block.id}: ${block.name} ${block.arguments}`;
    case 'tool-result':
      return `result of ${block.toolCallId}: ${block.content.map(textOf).join('\n')}`;
    default:
      return '';
  }
}

/** Lines to well-formed chunks: every block starts, may grow, and ends with what it came to. */
class Reply {
  hasCalls = false;
  #blocks = 0;

  *chunks(line: AnswerLine): Generator<StreamChunk> {
    if ('used' in line) {
      const { input, output } = line.used;
      yield { type: 'usage', usage: { inputTokens: input, outputTokens: output } };
      return;
    }
    const block = blockOf(line);
    const index = this.#blocks++;
    this.hasCalls ||= block.type === 'tool-call';
    yield { type: 'block-start', index, blockType: block.type };
    if (block.type === 'text') yield { type: 'text-delta', index, text: block.text };
    yield { type: 'block-end', index, block };
  }
}

function blockOf(line: Exclude<AnswerLine, { used: unknown }>): ContentBlock {
  if ('text' in line) return { type: 'text', text: line.text };
  if ('cite' in line) return { type: 'citation', ...line.cite };
  const { id, name, arguments: args } = line.call;
  return { type: 'tool-call', id: CallId(id), name, arguments: JSON.stringify(args) };
}
