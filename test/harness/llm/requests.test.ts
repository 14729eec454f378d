import { describe, expect, it } from '@jest/globals';
import { isAgentLoopRequest, markAgentLoopRequest } from '../../../src/harness/llm/agent-loop-request.ts';
import { attributionHeaders, userAgent } from '../../../src/harness/llm/attribution.ts';
import { callConfigEquals } from '../../../src/harness/llm/call-config-equals.ts';
import { isContextWindowExceededError, isQuotaExceededError } from '../../../src/harness/llm/provider-wording.ts';
import type { LlmCallConfig } from '../../../src/harness/llm/types.ts';
import { ask } from './scripted-adapter.ts';

const identity = { product: 'dsh', version: '1.2.3', url: 'https://example.org/dsh' };

describe('llm-streaming', () => {
  it('marks a loop request by identity, so a copy of it is not one', () => {
    const options = ask();

    expect(markAgentLoopRequest(options)).toBe(options);

    expect(isAgentLoopRequest(options)).toBe(true);
    expect(isAgentLoopRequest({ ...options })).toBe(false);
  });

  it.each<[boolean, Partial<LlmCallConfig>, Partial<LlmCallConfig>]>([
    [true, {}, {}],
    [true, { temperature: undefined }, {}],
    [true, { stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [false, { stop: ['a', 'b'] }, { stop: ['b', 'a'] }],
    [false, { stop: ['a'] }, { stop: ['a', 'b'] }],
    [false, { temperature: 0 }, {}],
    [false, { maxTokens: 1 }, { maxTokens: 2 }],
    [false, { provider: 'q' }, {}],
    [false, { merged: 1 } as object, {}],
  ])('compares configs by every field: %p for %p and %p', (equal, a, b) => {
    const base = { provider: 'p', model: 'm' };

    expect(callConfigEquals({ ...base, ...a }, { ...base, ...b })).toBe(equal);
  });

  it('L18 the user agent names the program, and a deployment cannot take it away', () => {
    expect(userAgent(identity)).toBe('dsh/1.2.3 (+https://example.org/dsh)');
    expect(attributionHeaders(identity, { 'X-Team': 'a', 'user-agent': 'mine', 'USER-AGENT': '' })).toEqual({
      'X-Team': 'a',
      'User-Agent': 'dsh/1.2.3 (+https://example.org/dsh)',
    });
  });

  it.each([
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
    'context_length_exceeded',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input length (9000) exceeds the maximum model length',
    'the request exceeds the available context size',
    'Please reduce the length of the messages or completion.',
  ])('L19 reads as context overflow: %s', (text) => {
    expect(isContextWindowExceededError(text)).toBe(true);
    expect(isQuotaExceededError(text)).toBe(false);
  });

  it.each([
    'Insufficient Balance',
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'Your credit balance is too low to access the API.',
    'billing hard limit has been reached',
    '账户余额不足',
  ])('L19 reads as no money left: %s', (text) => {
    expect(isQuotaExceededError(text)).toBe(true);
    expect(isContextWindowExceededError(text)).toBe(false);
  });

  it.each([
    'Rate limit reached for requests',
    'max_tokens is too large: 65536. This model supports at most 8192 completion tokens.',
    'Invalid value for tool_choice',
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
  ])('L19 reads as neither: %s', (text) => {
    expect(isContextWindowExceededError(text)).toBe(false);
    expect(isQuotaExceededError(text)).toBe(false);
  });
});
