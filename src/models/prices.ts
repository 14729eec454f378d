import type { TokenUsage } from '../harness/llm/types.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  /** The day the price was read. */
  readonly asOf: string;
  readonly source: string;
}

const DEEPSEEK_PAGE = { asOf: '2026-11-15', source: 'https://api-docs.deepseek.com/quick_start/pricing' };
const OPENAI_PAGE = { asOf: '2026-11-05', source: 'https://developers.openai.com/api/docs/pricing' };

/** DeepSeek's rows are its peak prices; off-peak is half. A budget errs on the side of too much. */
const PRICES: readonly ModelPrice[] = [
  { provider: 'deepseek', model: 'deepseek-flash', input: 0.3, cachedInput: 0.006, output: 1.2, ...DEEPSEEK_PAGE },
  { provider: 'deepseek', model: 'deepseek-v4-flash', input: 0.3, cachedInput: 0.006, output: 1.2, ...DEEPSEEK_PAGE },
  { provider: 'deepseek', model: 'deepseek-v4-pro', input: 1.32, cachedInput: 0.044, output: 3.96, ...DEEPSEEK_PAGE },
  { provider: 'openai', model: 'gpt-5.5', input: 5, cachedInput: 0.5, output: 30, ...OPENAI_PAGE },
  { provider: 'openai', model: 'gpt-5.4', input: 2.5, cachedInput: 0.25, output: 15, ...OPENAI_PAGE },
  { provider: 'openai', model: 'gpt-5.4-mini', input: 0.75, cachedInput: 0.075, output: 4.5, ...OPENAI_PAGE },
  { provider: 'openai', model: 'gpt-5', input: 1.25, cachedInput: 0.125, output: 10, ...OPENAI_PAGE },
];

/** `undefined` for a model whose price is not known; its tokens still count, its cost is not guessed. */
export function priceOf(provider: string, model: string): ModelPrice | undefined {
  return PRICES.find((price) => price.provider === provider && price.model === model);
}

/** US dollars. Reasoning is inside the output already; writing to a cache costs what other input costs. */
export function costOf(usage: TokenUsage, price: ModelPrice | undefined): number | undefined {
  if (!price) return undefined;
  const uncached = usage.inputTokens + (usage.cacheWriteTokens ?? 0);
  const cached = usage.cacheReadTokens ?? 0;
  return (uncached * price.input + cached * price.cachedInput + usage.outputTokens * price.output) / 1e6;
}
