import type { GenerateOptions, LlmModelContext, LlmModelInfo, LlmProviderInfo, StreamChunk } from './types.ts';

/**
 * One way to reach models. It only turns a request into well-formed chunks (llm-streaming L4, L5);
 * routing, assembly, failure tagging and retries live outside it.
 */
export abstract class LlmAdapter {
  providerInfo(provider: string): LlmProviderInfo {
    return { id: provider, name: provider };
  }

  /** Advice only: a model that is not listed still routes. */
  async listModels(_provider: string): Promise<readonly LlmModelInfo[]> {
    return [];
  }

  /** `undefined` means unknown. */
  async resolveModelContext(_provider: string, _model: string): Promise<LlmModelContext | undefined> {
    return undefined;
  }

  abstract stream(options: GenerateOptions): AsyncIterable<StreamChunk>;
}
