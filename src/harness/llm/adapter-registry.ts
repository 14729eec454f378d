import { HarnessError } from './errors.ts';
import type { LlmAdapter } from './llm-adapter.ts';
import type { LlmProviderInfo } from './types.ts';

interface Route {
  adapter: LlmAdapter;
  info: LlmProviderInfo;
}

/** Which adapter answers for which provider name. */
export class AdapterRegistry {
  readonly #routes = new Map<string, Route>();

  /** All or nothing: on a throw no route was added. Returns an idempotent undo of exactly these routes. */
  add(providers: readonly string[], adapter: LlmAdapter): () => void {
    const added = new Map(checkedRoutes(providers, adapter));
    const taken = [...added.keys()].filter((provider) => this.#routes.has(provider));
    if (taken.length > 0) throw duplicate(taken[0]!);

    for (const [provider, route] of added) this.#routes.set(provider, route);
    return () => {
      for (const [provider, route] of added) {
        if (this.#routes.get(provider) === route) this.#routes.delete(provider);
      }
    };
  }

  find(provider: string): LlmAdapter | undefined {
    return this.#routes.get(provider)?.adapter;
  }

  /** Throws `NO_ADAPTER`. */
  require(provider: string): LlmAdapter {
    const adapter = this.find(provider);
    if (!adapter) throw new HarnessError(`no adapter answers for model provider '${provider}'`, 'NO_ADAPTER');
    return adapter;
  }

  list(): LlmProviderInfo[] {
    return [...this.#routes.values()].map(({ info }) => ({ ...info }));
  }
}

function checkedRoutes(providers: readonly string[], adapter: LlmAdapter): [string, Route][] {
  if (providers.length === 0) throw invalid('it names no provider');
  const repeated = providers.find((provider, at) => providers.indexOf(provider) !== at);
  if (repeated !== undefined) throw duplicate(repeated);
  return providers.map((provider) => [provider, { adapter, info: checkedInfo(provider, adapter) }]);
}

function checkedInfo(provider: string, adapter: LlmAdapter): LlmProviderInfo {
  if (provider === '') throw invalid('a provider name is empty');
  const { id, name } = adapter.providerInfo(provider);
  if (id !== provider) throw invalid(`it renames provider '${provider}' to '${id}'`);
  if (typeof name !== 'string' || name === '') throw invalid(`provider '${provider}' has no display name`);
  return { id, name };
}

function invalid(why: string): HarnessError {
  return new HarnessError(`the adapter cannot be registered: ${why}`, 'INVALID_ADAPTER');
}

function duplicate(provider: string): HarnessError {
  return new HarnessError(`model provider '${provider}' already has an adapter`, 'DUPLICATE_ADAPTER');
}
