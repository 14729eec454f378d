import { describe, expect, it } from '@jest/globals';
import { offersEscalation } from '../../../src/bot/limits/offers-escalation.ts';
import { approvalPolicyOf } from '../../../src/bot/limits/profile.ts';

describe('bot-security', () => {
  it.each([
    ['fix', 'trusted', 'ask', true],
    ['ask', 'trusted', 'ask', true],
    ['review', 'trusted', 'ask', false],
    ['fix', 'trusted', 'never', false],
    ['fix', 'untrusted', 'ask', false],
    ['ask', 'untrusted', 'never', false],
  ] as const)(
    'X4 a %s in the %s profile with policy %s offers a wider sandbox: %s',
    (kind, profile, policy, offers) => {
      expect(offersEscalation({ kind, profile, approvalPolicy: policy })).toBe(offers);
    },
  );

  it('X4 asks nobody in the untrusted profile', () => {
    expect([approvalPolicyOf('untrusted'), approvalPolicyOf('trusted')]).toEqual(['never', 'ask']);
  });
});
