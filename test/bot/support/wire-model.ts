import { startModelServer } from '../../../src/demo/model/start-model-server.ts';
import type { ModelServer } from '../../../src/demo/model/start-model-server.ts';
import type { ChatRequest } from '../../../src/demo/model/chat-request.ts';
import { says } from '../../../src/demo/model/reply.ts';
import type { Reply } from '../../../src/demo/model/reply.ts';
import type { OpenAiCompatibleAdapter } from '../../../src/models/open-ai-compatible-adapter.ts';
import { SUMMARY_INSTRUCTION } from '../../../src/seams/compaction/summary-instruction.ts';
import { API_KEY, makeAdapter } from '../../models/adapter-fixture.ts';

/** What is awaited before the reply goes out. */
export type WireReply = Reply & { readonly before?: () => unknown };

const CHARS_PER_TOKEN = 4;

/** A model behind real HTTP. It tells of each request how much of it a cache of prefixes would have had. */
export class WireModel {
  /** Raw bodies of the conversation, oldest first. */
  readonly bodies: string[] = [];
  /** Raw bodies of requests for a summary, each with how many bodies were there before it. */
  readonly summaries: { readonly body: string; readonly after: number }[] = [];
  readonly #server: ModelServer;
  readonly #next: (step: number) => WireReply;

  static async start(next: (step: number) => WireReply): Promise<WireModel> {
    let model: WireModel | undefined;
    const server = await startModelServer({ script: (request) => model!.#answer(request), apiKey: API_KEY });
    return (model = new WireModel(server, next));
  }

  private constructor(server: ModelServer, next: (step: number) => WireReply) {
    this.#server = server;
    this.#next = next;
  }

  /** As a process of its own would make it. */
  adapter(): OpenAiCompatibleAdapter {
    return makeAdapter(this.#server.baseUrl);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #answer({ messages }: ChatRequest): Promise<Reply> {
    const { raw } = this.#server.requests.at(-1)!;
    if (messages.at(-1)!.content === SUMMARY_INSTRUCTION) {
      this.summaries.push({ body: raw, after: this.bodies.length });
      return says('## Intent\nMend the price.');
    }
    const usage = usageOf(raw, this.bodies.at(-1) ?? '');
    this.bodies.push(raw);
    const { before, ...reply } = this.#next(this.bodies.length - 1);
    await before?.();
    return { ...reply, usage };
  }
}

function usageOf(body: string, before: string): NonNullable<Reply['usage']> {
  return {
    promptTokens: Math.floor(body.length / CHARS_PER_TOKEN),
    cachedTokens: Math.floor(commonLength(body, before) / CHARS_PER_TOKEN),
    completionTokens: 10,
  };
}

function commonLength(one: string, other: string): number {
  if (one.startsWith(other)) return other.length;
  let at = 0;
  while (at < other.length && one[at] === other[at]) at += 1;
  return at;
}
