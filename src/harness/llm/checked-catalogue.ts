import { HarnessError } from './errors.ts';
import type { LlmModelContext, LlmModelInfo } from './types.ts';

/** A detached copy of an adapter's model list. Throws `INVALID_CATALOG` on a bad or repeated entry. */
export function checkedCatalogue(provider: string, models: readonly LlmModelInfo[]): LlmModelInfo[] {
  const seen = new Set<string>();
  return models.map((model) => {
    if (!isModelInfo(model, provider) || seen.has(model.id)) {
      throw new HarnessError(`provider '${provider}' lists a bad model: ${JSON.stringify(model)}`, 'INVALID_CATALOG');
    }
    seen.add(model.id);
    const { id, name, description } = model;
    return { provider, id, name, ...(description !== undefined && { description }) };
  });
}

function isModelInfo(model: Partial<LlmModelInfo> | null, provider: string): model is LlmModelInfo {
  return (
    model?.provider === provider &&
    typeof model.id === 'string' &&
    model.id !== '' &&
    typeof model.name === 'string' &&
    model.name !== '' &&
    (model.description === undefined || typeof model.description === 'string')
  );
}

/** A detached copy of a model's capacity. Throws `INVALID_MODEL_CONTEXT` unless it is a positive integer. */
export function checkedModelContext(model: string, context: LlmModelContext | undefined): LlmModelContext | undefined {
  if (context === undefined) return undefined;
  const { contextWindow } = context;
  if (!Number.isSafeInteger(contextWindow) || contextWindow <= 0) {
    throw new HarnessError(`model '${model}' claims a context window of ${contextWindow}`, 'INVALID_MODEL_CONTEXT');
  }
  return { contextWindow };
}
