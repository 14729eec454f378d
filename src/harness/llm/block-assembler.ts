import { assertNever } from './errors.ts';
import { CallId } from './types.ts';
import type { ContentBlock, ContentBlockType, FinishReason, Message, StreamChunk, TokenUsage } from './types.ts';

interface OpenBlock {
  kind: ContentBlockType;
  text: string;
  id: CallId | undefined;
  name: string;
  ended: ContentBlock | undefined;
}

/** Folds the chunks of one reply into its blocks. Tolerant: it also takes streams that break the grammar or end early. */
export class BlockAssembler {
  usage: TokenUsage | undefined;
  finish: FinishReason = { kind: 'stop' };
  replayState: unknown;
  readonly #open = new Map<number, OpenBlock>();

  push(chunk: StreamChunk): void {
    switch (chunk.type) {
      case 'block-start':
        this.#blockAt(chunk.index, chunk.blockType);
        return;
      case 'text-delta':
        this.#append(chunk.index, 'text', chunk.text);
        return;
      case 'reasoning-delta':
        this.#append(chunk.index, 'reasoning', chunk.text);
        return;
      case 'tool-call-delta':
        this.#appendCall(chunk);
        return;
      case 'block-end':
        this.#blockAt(chunk.index, chunk.block.type).ended ??= chunk.block;
        return;
      case 'usage':
        this.usage = chunk.usage;
        return;
      case 'finish':
        this.finish = chunk.reason;
        this.replayState = chunk.replayState;
        return;
      default:
        assertNever(chunk);
    }
  }

  /** The blocks so far, by the order in which their indexes were first seen; the last may be unfinished. */
  blocks(): ContentBlock[] {
    return [...this.#open].map(([index, block]) => block.ended ?? finished(index, block));
  }

  message(): Message {
    return { role: 'assistant', content: this.blocks() };
  }

  /** What closes the blocks still open, for a listener that ends somebody else's stream early. */
  closers(): StreamChunk[] {
    return [...this.#open]
      .filter(([, block]) => block.ended === undefined)
      .map(([index, block]) => ({ type: 'block-end', index, block: finished(index, block) }));
  }

  #blockAt(index: number, kind: ContentBlockType): OpenBlock {
    let block = this.#open.get(index);
    if (!block) {
      block = { kind, text: '', id: undefined, name: '', ended: undefined };
      this.#open.set(index, block);
    }
    return block;
  }

  #append(index: number, kind: ContentBlockType, text: string): OpenBlock | undefined {
    const block = this.#blockAt(index, kind);
    if (block.ended || block.kind !== kind) return undefined;
    block.text += text;
    return block;
  }

  #appendCall(chunk: Extract<StreamChunk, { type: 'tool-call-delta' }>): void {
    const block = this.#append(chunk.index, 'tool-call', chunk.argumentsDelta);
    if (!block) return;
    if (chunk.id) block.id = chunk.id;
    if (chunk.name) block.name = chunk.name;
  }
}

function finished(index: number, { kind, text, id, name }: OpenBlock): ContentBlock {
  switch (kind) {
    case 'text':
    case 'reasoning':
      return { type: kind, text };
    case 'tool-call':
      return { type: kind, id: id ?? CallId(`call-${index}`), name, arguments: text };
    default:
      throw new Error(`block ${index} of kind '${kind}' never ended, and only its block-end could tell what it holds`);
  }
}
