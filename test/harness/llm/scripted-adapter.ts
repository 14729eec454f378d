import { LlmAdapter } from '../../../src/harness/llm/llm-adapter.ts';
import type { GenerateOptions, StreamChunk } from '../../../src/harness/llm/types.ts';

/** Answers every call from a function, and remembers the options it was given. */
export class ScriptedAdapter extends LlmAdapter {
  readonly seen: GenerateOptions[] = [];
  readonly #answer: (options: GenerateOptions) => AsyncIterable<StreamChunk>;

  constructor(answer: (options: GenerateOptions) => AsyncIterable<StreamChunk> = () => reply('ok')) {
    super();
    this.#answer = answer;
  }

  override stream(options: GenerateOptions): AsyncIterable<StreamChunk> {
    this.seen.push(options);
    return this.#answer(options);
  }
}

export async function* reply(text: string): AsyncGenerator<StreamChunk> {
  yield { type: 'block-start', index: 0, blockType: 'text' };
  yield { type: 'text-delta', index: 0, text };
  yield { type: 'block-end', index: 0, block: { type: 'text', text } };
  yield { type: 'finish', reason: { kind: 'stop' } };
}

export async function* failing(error: unknown): AsyncGenerator<StreamChunk> {
  yield { type: 'block-start', index: 0, blockType: 'text' };
  throw error;
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

/** What a stream rejects with. */
export async function failureOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  return collect(stream).then(
    () => expectedFailure(),
    (error: unknown) => error,
  );
}

function expectedFailure(): never {
  throw new Error('the stream was expected to fail');
}

export function ask(more: Partial<GenerateOptions> = {}): GenerateOptions {
  return {
    provider: 'test',
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ...more,
  };
}
