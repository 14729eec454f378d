import { describe, expect, it } from '@jest/globals';
import { CompactPolicies } from '../../../src/seams/compaction/policy.ts';
import type { BasicCompactOptions } from '../../../src/seams/compaction/basic-compact.ts';
import { limitsOf } from '../../../src/seams/compaction/pressure-limits.ts';
import { codeOf } from '../../harness/session/session-fixture.ts';

const ROUTE = { provider: 'test', model: 'm1' };

describe('compaction', () => {
  it.each<[string, object]>([
    ['an unknown key', { contextWindow: 1000 }],
    ['an unknown key of a model', { modelPolicies: [{ ...ROUTE, auto: false }] }],
    ['a ratio of 0', { thresholdRatio: 0 }],
    ['a ratio above 1', { retainRatio: 1.1 }],
    ['a retained share that is not below the threshold', { thresholdRatio: 0.5, retainRatio: 0.5 }],
    ['such a share by the override of one model', { modelPolicies: [{ ...ROUTE, thresholdRatio: 0.1 }] }],
    ['both forms of what is retained', { retainRatio: 0.1, retainTokens: 10 }],
    ['half of a summarizer', { summarizationModel: 'm' }],
    ['two policies of one model', { modelPolicies: [ROUTE, ROUTE] }],
  ])('CP24 %s fails at load', (_, config) => {
    expect(codeOf(() => new CompactPolicies(config as BasicCompactOptions))).toBe('COMPACT_CONFIG');
  });

  it('CP24 one model may have a policy of its own, over the common one', () => {
    const policies = new CompactPolicies({
      retainRatio: 0.3,
      maxTokens: 100,
      modelPolicies: [{ ...ROUTE, retainTokens: 5, maxOverflowRetries: 0 }],
    });

    expect(policies.of(ROUTE)).toMatchObject({ retain: { tokens: 5 }, maxTokens: 100, maxOverflowRetries: 0 });
    expect(policies.of({ ...ROUTE, model: 'm2' })).toMatchObject({ retain: { ratio: 0.3 }, maxOverflowRetries: 1 });
    expect(new CompactPolicies().of(ROUTE)).toEqual({
      ...{ thresholdRatio: 0.8, retain: { ratio: 0.16 }, summarizer: undefined },
      ...{ maxTokens: 8192, compactionRetries: 1, maxOverflowRetries: 1 },
    });
  });

  it('CP16 limits are whole tokens of the window that is used; what does not fit together is no limit', () => {
    const policy = new CompactPolicies({ thresholdRatio: 0.8, retainTokens: 79 }).of(ROUTE);
    const facts = { window: 101, working: undefined, policy, header: undefined };

    expect(limitsOf(facts)).toEqual({ threshold: 80, retain: 79 });
    expect(limitsOf({ ...facts, working: 99 })).toMatch(/retainTokens 79 is not below the threshold of 79/);
    expect(limitsOf({ ...facts, window: undefined, working: 101 })).toEqual({ threshold: 80, retain: 79 });
    expect(limitsOf({ ...facts, window: undefined })).toMatch(/not known/);
    expect(limitsOf({ ...facts, header: { config: ROUTE, system: 'x'.repeat(400) } })).toMatch(/leaves no room/);
  });
});
