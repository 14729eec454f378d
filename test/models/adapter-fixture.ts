import { startModelServer } from '../../src/demo/model/start-model-server.ts';
import type { ModelServer, ModelServerOptions } from '../../src/demo/model/start-model-server.ts';
import type { RawPart, Reply, Script } from '../../src/demo/model/reply.ts';
import type { GenerateOptions, Message, StreamChunk } from '../../src/harness/llm/types.ts';
import { createModelClient } from '../../src/models/create-model-client.ts';
import { DEEPSEEK } from '../../src/models/dialect.ts';
import { OpenAiCompatibleAdapter } from '../../src/models/open-ai-compatible-adapter.ts';
import type { OpenAiCompatibleSettings } from '../../src/models/open-ai-compatible-adapter.ts';

export const API_KEY = 'sk-test-0123456789abcdef';
export const NOW = new Date('2026-11-20T12:00:00Z');
const identity = { product: 'dsh', version: '1.2.3', url: 'https://example.org/dsh' };

/** An adapter over real HTTP to a scripted server. */
export class Wire implements AsyncDisposable {
  readonly server: ModelServer;
  readonly adapter: OpenAiCompatibleAdapter;

  private constructor(server: ModelServer, adapter: OpenAiCompatibleAdapter) {
    this.server = server;
    this.adapter = adapter;
  }

  static async start(
    script: Script | Reply,
    settings: Partial<OpenAiCompatibleSettings> = {},
    options: Partial<ModelServerOptions> = {},
  ): Promise<Wire> {
    const run: Script = typeof script === 'function' ? script : () => script;
    const server = await startModelServer({ script: run, apiKey: API_KEY, ...options });
    return new Wire(server, makeAdapter(server.baseUrl, settings));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

export function makeAdapter(
  baseUrl: string,
  settings: Partial<OpenAiCompatibleSettings> = {},
): OpenAiCompatibleAdapter {
  const client = createModelClient({ apiKey: API_KEY, baseUrl });
  return new OpenAiCompatibleAdapter({ client, dialect: DEEPSEEK, identity, now: () => NOW, ...settings });
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function ask(more: Partial<GenerateOptions> = {}): GenerateOptions {
  return { provider: 'deepseek', model: 'deepseek-flash', messages: [user('hi')], ...more };
}

export async function collect(stream: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The chunks until the stream fails, and the failure. */
export async function collectFailing(
  stream: AsyncIterable<StreamChunk>,
): Promise<{ chunks: StreamChunk[]; error: unknown }> {
  const chunks: StreamChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error };
  }
  throw new Error('the stream was expected to fail');
}

/** A reply of hand-written events. */
export function events(...pieces: (object | string)[]): Reply {
  return { raw: pieces.map((piece): RawPart => event(piece)) };
}

export function event(piece: object | string): string {
  return `data: ${typeof piece === 'string' ? piece : JSON.stringify(piece)}\n\n`;
}

export function delta(fields: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta: fields, finish_reason }] };
}

export function blocksOf(chunks: readonly StreamChunk[]): unknown[] {
  return chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : []));
}
