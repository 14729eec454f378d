import { describe, expect, it } from '@jest/globals';
import { costOf, priceOf } from '../../src/models/prices.ts';

describe('cases', () => {
  it('M8 the cost of a call counts each bucket once, at its own price', () => {
    const price = { ...priceOf('deepseek', 'deepseek-flash')!, input: 1, cachedInput: 0.1, output: 2 };
    const usage = {
      inputTokens: 1_000_000,
      cacheReadTokens: 2_000_000,
      outputTokens: 500_000,
      reasoningTokens: 400_000,
    };

    expect(costOf(usage, price)).toBeCloseTo(1 + 0.2 + 1, 10);
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, price)).toBe(0);
    expect(costOf({ inputTokens: 0, outputTokens: 0, cacheWriteTokens: 1_000_000 }, price)).toBe(1);
  });

  it('an unknown model has no price and no cost', () => {
    expect(priceOf('deepseek', 'unheard-of')).toBeUndefined();
    expect(priceOf('openai', 'deepseek-flash')).toBeUndefined();
    expect(costOf({ inputTokens: 5, outputTokens: 5 }, undefined)).toBeUndefined();
  });

  it('each price says when and where it was read, and a cache hit is the cheapest token', () => {
    for (const [provider, model] of [
      ['deepseek', 'deepseek-flash'],
      ['deepseek', 'deepseek-v4-pro'],
      ['openai', 'gpt-5.5'],
    ]) {
      const price = priceOf(provider!, model!)!;
      expect(price.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(price.source).toMatch(/^https:/);
      expect(price.cachedInput).toBeLessThan(price.input);
      expect(price.input).toBeLessThan(price.output);
    }
  });
});
