import { describe, expect, it } from '@jest/globals';
import { whyNoSeal } from '../../../src/action/state/why-no-seal.ts';

describe('bot-hosts', () => {
  it.each([undefined, '', 'x', 'ollama', 'not-needed', 'sk-local-123456', '0'.repeat(40), 'abcabcabcabcabcabcabc'])(
    'H9 nothing is sealed by the key %j, which anybody could try',
    (key) => {
      expect(whyNoSeal(key)).toEqual(expect.any(String));
    },
  );

  it.each(['sk-0123456789abcdef', 'sk-e2e-model-key-0123456789', 'f3a90b1c77d2e845f3a90b1c77d2e845'])(
    'H9 a key as providers make them (%s) seals',
    (key) => {
      expect(whyNoSeal(key)).toBeUndefined();
    },
  );
});
