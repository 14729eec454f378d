import { describe, expect, it } from '@jest/globals';
import { Redactor } from '../../src/publish/redact.ts';

describe('bot-human-loop', () => {
  it.each([
    ['sk-', `sk-${'a1'.repeat(20)}`],
    ['AWS', 'AKIAABCDEFGHIJKLMNOP'],
    ['Slack', 'xoxb-1234567890-abcdef'],
    ['a JWT', `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['GitHub', `ghs_${'A'.repeat(36)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ])('P8 K2 publishes no key shaped like %s', (_, key) => {
    expect(new Redactor().redact(`it is ${key} there`)).toBe('it is *** there');
  });

  it('P8 masks the secrets of the process wherever they stand, and each line of a key', () => {
    const redactor = new Redactor(['super-secret-value', 'line-one-of-key\nline-two-of-key', undefined, 'short']);

    expect(redactor.redactKnown('a super-secret-value, line-two-of-key, short')).toBe('a ***, ***, short');
  });

  it('P8 finds a known secret in bytes', () => {
    const redactor = new Redactor(['super-secret-value']);

    expect(redactor.holdsKnownSecret(Buffer.from('\xff super-secret-value', 'latin1'))).toBe(true);
    expect(redactor.holdsKnownSecret(Buffer.from('nothing'))).toBe(false);
  });
});
