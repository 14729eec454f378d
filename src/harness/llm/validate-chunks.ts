import { assertNever, HarnessError } from './errors.ts';
import type { ContentBlockType, StreamChunk } from './types.ts';

/** Passes a stream on and throws `CHUNK_GRAMMAR` at the first chunk that breaks L4 or L5. Thrown errors pass unchanged. */
export async function* validateChunks(stream: AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk> {
  const grammar = new ChunkGrammar();
  for await (const chunk of stream) {
    grammar.check(chunk);
    yield chunk;
  }
  grammar.end();
}

class ChunkGrammar {
  readonly #open = new Map<number, ContentBlockType>();
  #usageSeen = false;
  #finished = false;

  check(chunk: StreamChunk): void {
    if (this.#finished) throw violation(`${chunk.type} after finish`);
    switch (chunk.type) {
      case 'block-start':
        return this.#start(chunk.index, chunk.blockType);
      case 'text-delta':
        return this.#inside(chunk.index, 'text', chunk.type);
      case 'reasoning-delta':
        return this.#inside(chunk.index, 'reasoning', chunk.type);
      case 'tool-call-delta':
        return this.#inside(chunk.index, 'tool-call', chunk.type);
      case 'block-end':
        this.#inside(chunk.index, chunk.block.type, chunk.type);
        this.#open.delete(chunk.index);
        return;
      case 'usage':
        if (this.#usageSeen) throw violation('a second usage');
        this.#usageSeen = true;
        return;
      case 'finish':
        return this.#finish();
      default:
        assertNever(chunk);
    }
  }

  end(): void {
    if (!this.#finished) throw violation('the stream ended without finish');
  }

  #start(index: number, kind: ContentBlockType): void {
    if (!Number.isSafeInteger(index) || index < 0) throw violation(`block index ${index}`);
    if (this.#open.has(index)) throw violation(`block-start on open block ${index}`);
    this.#open.set(index, kind);
  }

  #inside(index: number, kind: ContentBlockType, what: string): void {
    const opened = this.#open.get(index);
    if (opened === undefined) throw violation(`${what} on block ${index}, which is not open`);
    if (opened !== kind) throw violation(`${what} of kind ${kind} on block ${index} of kind ${opened}`);
  }

  #finish(): void {
    if (this.#open.size > 0) throw violation(`finish with block ${[...this.#open.keys()].join(', ')} open`);
    this.#finished = true;
  }
}

function violation(what: string): HarnessError {
  return new HarnessError(`the adapter broke the chunk grammar: ${what}`, 'CHUNK_GRAMMAR');
}
