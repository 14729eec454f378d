import type { Context, Disposer } from '../kernel/context.ts';
import { VIEW_FOR } from '../kernel/service-registry.ts';
import { AdapterRegistry } from './adapter-registry.ts';
import { CallFailures, linkFailures } from './call-failures.ts';
import { checkedCatalogue, checkedModelContext } from './checked-catalogue.ts';
import { guardAdapterStream } from './guard-adapter-stream.ts';
import type { LlmAdapter } from './llm-adapter.ts';
import { withoutForeignReplayState } from './replay-state.ts';
import type { GenerateOptions, LlmModelContext, LlmModelInfo, LlmProviderInfo, StreamChunk } from './types.ts';

declare module '../kernel/context.ts' {
  interface Context {
    llm: LlmService;
  }
  interface Events {
    /** Wraps every model call. `next()` may be skipped to answer without an adapter. */
    'llm/stream'(options: GenerateOptions, next: () => AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk>;
  }
}

/** Routes model calls to adapters by provider name. A route belongs to the context it was registered through. */
export class LlmService {
  readonly #ctx: Context;
  readonly #registry: AdapterRegistry;

  constructor(ctx: Context, registry = new AdapterRegistry()) {
    this.#ctx = ctx;
    this.#registry = registry;
  }

  [VIEW_FOR](ctx: Context): LlmService {
    return new LlmService(ctx, this.#registry);
  }

  /** Throws `INVALID_ADAPTER` or `DUPLICATE_ADAPTER`. */
  registerAdapter(providers: readonly string[], adapter: LlmAdapter): Disposer {
    return this.#ctx.effect(() => this.#registry.add(providers, adapter), 'llm adapter');
  }

  listProviders(): LlmProviderInfo[] {
    return this.#registry.list();
  }

  async listModels(provider: string): Promise<LlmModelInfo[]> {
    return checkedCatalogue(provider, await this.#registry.require(provider).listModels(provider));
  }

  async resolveModelContext(provider: string, model: string): Promise<LlmModelContext | undefined> {
    return checkedModelContext(model, await this.#registry.require(provider).resolveModelContext(provider, model));
  }

  /** Returns at once; a missing adapter (`NO_ADAPTER`) or any other failure shows at the first read. Read it once. */
  stream(options: GenerateOptions): AsyncIterable<StreamChunk> {
    const failures = new CallFailures();
    const open = (): AsyncIterable<StreamChunk> => this.#dispatch(options);
    const chunks = this.#ctx.waterfall('llm/stream', options, () => guardAdapterStream(open, failures));
    const handle = { [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator]() };
    linkFailures(handle, failures);
    return handle;
  }

  #dispatch(options: GenerateOptions): AsyncIterable<StreamChunk> {
    const adapter = this.#registry.require(options.provider);
    return adapter.stream(withoutForeignReplayState(options, (provider) => this.#registry.find(provider)));
  }
}

/** Provides `ctx.llm`. */
export const llm = {
  name: 'llm',
  apply(ctx: Context): void {
    ctx.provide('llm', new LlmService(ctx));
  },
};
