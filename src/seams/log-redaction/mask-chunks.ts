import type { CallId, ContentBlock, StreamChunk } from '../../harness/llm/types.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { maskJson } from './mask-json.ts';
import { TextMask } from './text-mask.ts';

/** A model's stream without known secrets, also where one is spread over chunks. Its grammar stays what it is. */
export async function* maskChunks(
  chunks: AsyncIterable<StreamChunk>,
  secrets: KnownSecrets,
): AsyncGenerator<StreamChunk, void, void> {
  const blocks = new Map<number, BlockMask>();
  for await (const chunk of chunks) {
    if (!('index' in chunk)) {
      yield maskJson(chunk, secrets);
      continue;
    }
    if (chunk.type === 'block-start') blocks.set(chunk.index, new BlockMask(secrets));
    const block = blocks.get(chunk.index) ?? new BlockMask(secrets);
    blocks.set(chunk.index, block);
    yield* block.pass(chunk);
  }
}

type BlockChunk = Extract<StreamChunk, { index: number }>;

class BlockMask {
  readonly #secrets: KnownSecrets;
  readonly #text: TextMask;
  #callId: CallId | undefined;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
    this.#text = new TextMask(secrets);
  }

  *pass(chunk: BlockChunk): Generator<StreamChunk, void, void> {
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const text = this.#text.push(chunk.text);
        if (text !== '') yield text === chunk.text ? chunk : { ...chunk, text };
        return;
      }
      case 'tool-call-delta':
        return yield* this.#passCall(chunk);
      case 'block-end':
        yield* this.#rest(chunk.index, chunk.block.type);
        yield maskJson(chunk, this.#secrets);
        return;
      default:
        yield chunk;
    }
  }

  /** Its first chunk tells of the call, whether there are arguments in it or not. */
  *#passCall(chunk: Extract<StreamChunk, { type: 'tool-call-delta' }>): Generator<StreamChunk, void, void> {
    const argumentsDelta = this.#text.push(chunk.argumentsDelta);
    const tells = this.#callId !== chunk.id || chunk.name !== undefined;
    this.#callId = chunk.id;
    if (!tells && argumentsDelta === '') return;
    yield argumentsDelta === chunk.argumentsDelta ? chunk : { ...chunk, argumentsDelta };
  }

  *#rest(index: number, kind: ContentBlock['type']): Generator<StreamChunk, void, void> {
    const text = this.#text.end();
    if (text === '') return;
    if (kind === 'text') yield { type: 'text-delta', index, text };
    if (kind === 'reasoning') yield { type: 'reasoning-delta', index, text };
    if (kind === 'tool-call' && this.#callId !== undefined)
      yield { type: 'tool-call-delta', index, id: this.#callId, argumentsDelta: text };
  }
}
