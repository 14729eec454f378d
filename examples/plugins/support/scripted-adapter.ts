import { CallId, LlmAdapter } from 'dsh-github/llm';
import type { ContentBlock, GenerateOptions, StreamChunk } from 'dsh-github/llm';

/** A model that answers from a list and keeps every request it got. */
export class ScriptedAdapter extends LlmAdapter {
  readonly requests: GenerateOptions[] = [];
  readonly #replies: ContentBlock[][];

  constructor(replies: ContentBlock[][]) {
    super();
    this.#replies = [...replies];
  }

  async *stream(options: GenerateOptions): AsyncGenerator<StreamChunk, void, void> {
    this.requests.push(options);
    const blocks = this.#replies.shift() ?? [];
    for (const [index, block] of blocks.entries()) {
      yield { type: 'block-start', index, blockType: block.type };
      yield { type: 'block-end', index, block };
    }
    const calls = blocks.some(({ type }) => type === 'tool-call');
    yield { type: 'finish', reason: { kind: calls ? 'tool-calls' : 'stop' } };
  }
}

export function says(text: string): ContentBlock[] {
  return [{ type: 'text', text }];
}

export function calls(name: string, args: object): ContentBlock[] {
  return [{ type: 'tool-call', id: CallId(`call-of-${name}`), name, arguments: JSON.stringify(args) }];
}
