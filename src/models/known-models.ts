interface KnownModel {
  provider: string;
  model: string;
  /** Tokens of prompt and completion together. */
  contextWindow: number;
  maxOutputTokens: number;
}

/** Capacities from the providers' model pages, read in November 2026; a model that is not here is simply unknown. */
const KNOWN_MODELS: readonly KnownModel[] = [
  { provider: 'deepseek', model: 'deepseek-flash', contextWindow: 1_000_000, maxOutputTokens: 384_000 },
  { provider: 'deepseek', model: 'deepseek-v4-flash', contextWindow: 1_000_000, maxOutputTokens: 384_000 },
  { provider: 'deepseek', model: 'deepseek-v4-pro', contextWindow: 1_000_000, maxOutputTokens: 384_000 },
  { provider: 'openai', model: 'gpt-5.5', contextWindow: 1_000_000, maxOutputTokens: 128_000 },
  { provider: 'openai', model: 'gpt-5.4', contextWindow: 1_000_000, maxOutputTokens: 128_000 },
  { provider: 'openai', model: 'gpt-5.4-mini', contextWindow: 400_000, maxOutputTokens: 128_000 },
  { provider: 'openai', model: 'gpt-5', contextWindow: 400_000, maxOutputTokens: 128_000 },
  { provider: 'openai', model: 'gpt-4.1', contextWindow: 1_000_000, maxOutputTokens: 32_768 },
];

export function contextWindowOf(provider: string, model: string): number | undefined {
  return find(provider, model)?.contextWindow;
}

export function maxOutputTokensOf(provider: string, model: string): number | undefined {
  return find(provider, model)?.maxOutputTokens;
}

function find(provider: string, model: string): KnownModel | undefined {
  return KNOWN_MODELS.find((known) => known.provider === provider && known.model === model);
}
