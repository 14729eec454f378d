/** How hard the model thinks before it answers. */
export type ThinkingEffort = 'off' | 'low' | 'high' | 'max';

/** Where OpenAI-compatible servers differ. */
export interface Dialect {
  readonly name: string;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /**
   * `required`: every message that had reasoning carries it back, and one with calls and none an empty text;
   * `present`: only where there was some; `never`: the server refuses the field.
   */
  readonly reasoningBack: 'required' | 'present' | 'never';
  /** Used when nothing is configured. */
  readonly defaultThinking: ThinkingEffort | undefined;
  /** Body fields that set the effort. */
  thinkingFields(effort: ThinkingEffort): Record<string, unknown>;
  /** The temperature without thinking, where none is configured. */
  readonly plainTemperature: number | undefined;
}

/** Without `reasoning_content` on turns with calls DeepSeek answers 400. https://api-docs.deepseek.com/guides/thinking_mode */
export const DEEPSEEK: Dialect = {
  name: 'DeepSeek',
  maxTokensField: 'max_tokens',
  reasoningBack: 'required',
  defaultThinking: 'high',
  thinkingFields: (effort) =>
    effort === 'off' ? { thinking: { type: 'disabled' } } : { thinking: { type: 'enabled' }, reasoning_effort: effort },
  plainTemperature: 0,
};

export const OPENAI: Dialect = {
  name: 'OpenAI',
  maxTokensField: 'max_completion_tokens',
  reasoningBack: 'never',
  defaultThinking: undefined,
  thinkingFields: (effort) => ({ reasoning_effort: OPENAI_EFFORTS[effort] }),
  plainTemperature: undefined,
};
const OPENAI_EFFORTS = { off: 'none', low: 'low', high: 'high', max: 'xhigh' };

/** Any other server: only what all of them take. */
export const COMPATIBLE: Dialect = {
  name: 'OpenAI-compatible',
  maxTokensField: 'max_tokens',
  reasoningBack: 'present',
  defaultThinking: undefined,
  thinkingFields: (effort) => (effort === 'off' ? {} : { reasoning_effort: effort }),
  plainTemperature: undefined,
};

/** `baseUrl` is given where the operator points the provider at a server of their own. */
export function dialectFor(provider: string, baseUrl?: string): Dialect {
  if (provider === 'deepseek') return DEEPSEEK;
  return provider === 'openai' && (baseUrl === undefined || isOpenAiHost(baseUrl)) ? OPENAI : COMPATIBLE;
}

function isOpenAiHost(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === 'api.openai.com';
}
