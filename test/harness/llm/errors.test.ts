import { describe, expect, it } from '@jest/globals';
import { DshError } from '../../../src/errors.ts';
import { errorChain, HarnessError, isHarnessError, LlmError } from '../../../src/harness/llm/errors.ts';
import { ProviderRequestId } from '../../../src/harness/llm/types.ts';

describe('llm-streaming', () => {
  it('L13 an LlmError carries its facts as frozen plain JSON', () => {
    const error = new LlmError('slow down', 'RATE_LIMIT', {
      status: 429,
      providerRetryAfterMs: 2000,
      requestId: ProviderRequestId('r1'),
    });

    expect(error.failure).toEqual({
      message: 'slow down',
      code: 'RATE_LIMIT',
      status: 429,
      providerRetryAfterMs: 2000,
      requestId: 'r1',
    });
    expect(Object.isFrozen(error.failure)).toBe(true);
    expect(JSON.parse(JSON.stringify(new LlmError('no', 'SERVER').failure))).toEqual({ message: 'no', code: 'SERVER' });
  });

  it.each<[string, () => LlmError]>([
    ['an empty message', () => new LlmError('', 'SERVER')],
    ['an empty code', () => new LlmError('x', '')],
    ['a status below 100', () => new LlmError('x', 'SERVER', { status: 99 })],
    ['a status above 599', () => new LlmError('x', 'SERVER', { status: 600 })],
    ['a status that is no integer', () => new LlmError('x', 'SERVER', { status: 500.5 })],
    ['a delay of zero', () => new LlmError('x', 'SERVER', { providerRetryAfterMs: 0 })],
    ['an endless delay', () => new LlmError('x', 'SERVER', { providerRetryAfterMs: Infinity })],
    ['an empty request id', () => new LlmError('x', 'SERVER', { requestId: ProviderRequestId('') })],
  ])('L13 an LlmError refuses %s', (_what, make) => {
    expect(make).toThrow(TypeError);
  });

  it('tells coded errors from others by shape, so that two copies of the package agree', () => {
    const foreign = Object.assign(new Error('x'), { code: 'SERVER' });

    expect(isHarnessError(foreign)).toBe(true);
    expect(isHarnessError(new DshError('x', 'NO_DOCKER', 'start it'))).toBe(true);
    expect(isHarnessError(new Error('x'))).toBe(false);
    expect(isHarnessError({ code: 'SERVER' })).toBe(false);
  });

  it('renders the whole cause chain, and ends where it loops', () => {
    const inner: Error = new Error('socket closed');
    const outer = new HarnessError('the request failed', 'TRANSPORT', { cause: inner });
    inner.cause = outer;

    expect(errorChain(outer)).toBe('the request failed: socket closed');
    expect(errorChain('just text')).toBe('just text');
  });
});
