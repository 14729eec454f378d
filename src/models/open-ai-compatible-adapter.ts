import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import * as z from 'zod';
import { attributionHeaders } from '../harness/llm/attribution.ts';
import { LlmError } from '../harness/llm/errors.ts';
import { LlmAdapter } from '../harness/llm/llm-adapter.ts';
import type {
  AppIdentity,
  GenerateOptions,
  LlmModelContext,
  LlmModelInfo,
  LlmProviderInfo,
  StreamChunk,
} from '../harness/llm/types.ts';
import type { Dialect, ThinkingEffort } from './dialect.ts';
import { guardOutput } from './guard-output.ts';
import { httpFailure } from './http-failure.ts';
import { contextWindowOf } from './known-models.ts';
import { readReply } from './read-reply.ts';
import { redactSecrets } from './redact-secrets.ts';
import { RequestWriter } from './request-body.ts';
import { TransportWatch } from './transport-watch.ts';
import type { TransportTimeouts } from './transport-watch.ts';

const timeoutMs = z.number().positive().max(2_147_483_647);
const Timeouts = z.object({
  streamIdleTimeoutMs: timeoutMs.default(300_000),
  streamProgressTimeoutMs: timeoutMs.default(600_000),
});

export interface OpenAiCompatibleSettings extends Partial<TransportTimeouts> {
  /** From `createModelClient`; may still be loading. */
  client: OpenAI | Promise<OpenAI>;
  dialect: Dialect;
  identity: AppIdentity;
  /** Replaces the dialect's default. */
  thinking?: ThinkingEffort;
  /** Further headers of the deployment. */
  headers?: Readonly<Record<string, string>>;
  now: () => Date;
}

/** Talks Chat Completions to DeepSeek, OpenAI or any server that speaks it. One call is one HTTP attempt. */
export class OpenAiCompatibleAdapter extends LlmAdapter {
  readonly #settings: OpenAiCompatibleSettings;
  readonly #timeouts: TransportTimeouts;
  readonly #writer: RequestWriter;
  readonly #headers: Record<string, string>;

  constructor(settings: OpenAiCompatibleSettings) {
    super();
    this.#settings = settings;
    this.#timeouts = Timeouts.parse(settings);
    this.#writer = new RequestWriter(settings.dialect, settings.thinking);
    this.#headers = attributionHeaders(settings.identity, settings.headers);
  }

  override providerInfo(provider: string): LlmProviderInfo {
    return { id: provider, name: this.#settings.dialect.name };
  }

  override async listModels(provider: string): Promise<readonly LlmModelInfo[]> {
    const watch = new TransportWatch(this.#timeouts, undefined);
    try {
      const client = await this.#settings.client;
      const response = await watch.during(() => this.#request(client, 'get', '/models', { signal: watch.signal }));
      const list = ModelList.safeParse(await watch.during(() => response.json()));
      if (!list.success) throw new LlmError('the model server sent no list of models', 'MALFORMED_RESPONSE');
      return list.data.data.map(({ id }) => ({ provider, id, name: id }));
    } catch (error) {
      throw watch.failure(error);
    } finally {
      watch.close();
    }
  }

  override async resolveModelContext(provider: string, model: string): Promise<LlmModelContext | undefined> {
    const contextWindow = contextWindowOf(provider, model);
    return contextWindow === undefined ? undefined : { contextWindow };
  }

  override stream(options: GenerateOptions): AsyncIterable<StreamChunk> {
    const toolNames = options.tools?.map(({ name }) => name) ?? [];
    return guardOutput(this.#read(options), toolNames);
  }

  async *#read(options: GenerateOptions): AsyncGenerator<StreamChunk, void, void> {
    const body = this.#writer.write(options);
    const watch = new TransportWatch(this.#timeouts, options.signal);
    try {
      const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
      const sent = { body, headers, signal: watch.signal };
      const client = await this.#settings.client;
      const response = await watch.during(() => this.#request(client, 'post', '/chat/completions', sent));
      const redact = (text: string): string => redactSecrets(text, [client.apiKey ?? '']);
      yield* readReply(response, watch, { newCallId, redact });
    } catch (error) {
      throw watch.failure(error);
    } finally {
      watch.close();
    }
  }

  async #request(client: OpenAI, method: 'get' | 'post', path: string, sent: SentRequest): Promise<Response> {
    try {
      return await client[method](path, {
        ...sent,
        headers: { ...sent.headers, ...this.#headers },
        maxRetries: 0,
        timeout: Math.ceil(this.#timeouts.streamIdleTimeoutMs) + 1000,
      }).asResponse();
    } catch (error) {
      throw this.#refusal(error, client) ?? error;
    }
  }

  /** The client's own error classes are not trusted further than their plain fields. */
  #refusal(error: unknown, client: OpenAI): LlmError | undefined {
    const { status, headers, error: body, message } = error as Partial<InstanceType<typeof OpenAI.APIError>>;
    if (typeof status !== 'number' || !headers) return undefined;
    const text = redactSecrets(refusalText(body) ?? String(message), [client.apiKey ?? '']);
    return httpFailure({ status, headers, text }, this.#settings.now());
  }
}

interface SentRequest {
  signal: AbortSignal;
  body?: string;
  headers?: Record<string, string>;
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The message and the provider's own code: both are read for wording. */
function refusalText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return typeof body === 'string' ? body : undefined;
  const { message, code, type } = body as Record<string, unknown>;
  if (typeof message !== 'string') return JSON.stringify(body);
  const label = [code, type].find((value) => typeof value === 'string' && value !== '');
  return label === undefined ? message : `${message} (${String(label)})`;
}

function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}
