import { DshError } from '../errors.ts';
import type { AgentLlmTarget } from '../harness/agent/types.ts';
import type { LlmAdapter } from '../harness/llm/llm-adapter.ts';
import type { AppIdentity } from '../harness/llm/types.ts';
import { createModelClient } from './create-model-client.ts';
import { dialectFor } from './dialect.ts';
import { OpenAiCompatibleAdapter } from './open-ai-compatible-adapter.ts';

export interface ModelEnvironment {
  readonly DSH_MODEL?: string;
  readonly DSH_MODEL_BASE_URL?: string;
  readonly DEEPSEEK_API_KEY?: string;
  readonly OPENAI_API_KEY?: string;
}
export interface ModelsOptions {
  readonly env: ModelEnvironment;
  readonly identity: AppIdentity;
  readonly now: () => Date;
  /** Given by a host; wins over the environment's keys. */
  readonly apiKey?: string;
  /** Further adapters by provider; they win over ours. */
  readonly adapters?: Readonly<Record<string, LlmAdapter>>;
}

export interface Models {
  /** Provider routes and the adapters that serve them. */
  readonly routes: ReadonlyMap<string, LlmAdapter>;
  /** For redaction. */
  readonly keys: readonly string[];
  /** Route and model of a `provider/model` text. Throws `MODEL_NOT_CONFIGURED` that says which variable is missing. */
  targetOf(model: string | undefined): AgentLlmTarget;
}

const ENDPOINTS: Readonly<Record<string, { baseUrl: string; key: 'DEEPSEEK_API_KEY' | 'OPENAI_API_KEY' }>> = {
  deepseek: { baseUrl: 'https://api.deepseek.com', key: 'DEEPSEEK_API_KEY' },
  openai: { baseUrl: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
};

/** One adapter for each provider that has a key; `DSH_MODEL_BASE_URL` points all of them at a server of one's own. */
export function createModels({ env, identity, now, apiKey, adapters = {} }: ModelsOptions): Models {
  const custom = env.DSH_MODEL_BASE_URL;
  const named = env.DSH_MODEL?.split('/')[0];
  const providers = new Set([...Object.keys(ENDPOINTS), ...(custom && named ? [named] : [])]);
  const routes = new Map<string, LlmAdapter>();
  const keys = [apiKey, env.DEEPSEEK_API_KEY, env.OPENAI_API_KEY].filter((key) => key !== undefined);
  for (const provider of providers) {
    const endpoint = ENDPOINTS[provider];
    const key = apiKey ?? (endpoint ? env[endpoint.key] : keys[0]);
    const baseUrl = custom ?? endpoint?.baseUrl;
    if (key === undefined || baseUrl === undefined) continue;
    const client = createModelClient({ apiKey: key, baseUrl });
    routes.set(provider, new OpenAiCompatibleAdapter({ client, dialect: dialectFor(provider, custom), identity, now }));
  }
  for (const [provider, adapter] of Object.entries(adapters)) routes.set(provider, adapter);
  return { routes, keys, targetOf: (model) => targetOf(model, routes) };
}

function targetOf(text: string | undefined, routes: ReadonlyMap<string, LlmAdapter>): AgentLlmTarget {
  const model = text ?? defaultModel(routes);
  if (model === undefined) {
    throw new DshError(
      'No model is configured.',
      'MODEL_NOT_CONFIGURED',
      'Set DEEPSEEK_API_KEY or OPENAI_API_KEY, and DSH_MODEL to provider/model.',
    );
  }
  const [provider = '', ...name] = model.split('/');
  if (routes.has(provider)) return { provider, model: name.join('/') };
  const variable = ENDPOINTS[provider]?.key ?? 'DSH_MODEL_BASE_URL and a key';
  throw new DshError(
    `There is no key for the model ${model}.`,
    'MODEL_NOT_CONFIGURED',
    `Set ${variable}, or DSH_MODEL to a model that has one.`,
  );
}

function defaultModel(routes: ReadonlyMap<string, LlmAdapter>): string | undefined {
  if (routes.has('deepseek')) return 'deepseek/deepseek-flash';
  return routes.has('openai') ? 'openai/gpt-5' : undefined;
}
