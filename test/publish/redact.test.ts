import { describe, expect, it } from '@jest/globals';
import { Redactor } from '../../src/publish/redact.ts';
import { timeOf } from './support/hostile-markdown.ts';

describe('bot-human-loop', () => {
  it.each([
    ['sk-', `sk-${'a1'.repeat(20)}`],
    ['AWS', 'AKIAABCDEFGHIJKLMNOP'],
    ['Slack', 'xoxb-1234567890-abcdef'],
    ['a JWT', `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['GitHub', `ghs_${'A'.repeat(36)}`],
    ['GitHub of the longer form', `ghs_123_eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['GitLab', `glpat-${'a1'.repeat(10)}`],
    ['npm', `npm_${'a1'.repeat(18)}`],
    ['Google', `AIza${'a1-_x'.repeat(7)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ])('P8 K2 publishes no key shaped like %s', (_, key) => {
    expect(new Redactor().redact(`it is ${key} there`)).toBe('it is *** there');
  });

  it.each([`token-eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c-'.repeat(10)}`, `key-sk-${'a1'.repeat(20)}`])(
    'P8 finds the key behind the word in %j',
    (text) => {
      expect(new Redactor().redact(`a ${text}`)).toMatch(/^a (?:token|key)-\*\*\*$/);
    },
  );

  it.each([
    'sk-',
    'eyJ-',
    'eyJ',
    'a-',
    'eyJaaaaaaaaaaa.',
    '-----BEGIN ',
    'ghp_',
    'xoxb-',
    '-----BEGIN PRIVATE KEY-----',
  ])('P8 60,000 times %j costs less than 300 ms', (unit) => {
    expect(timeOf(() => new Redactor().redact(unit.repeat(60_000)))).toBeLessThan(300);
  });

  it('P8 masks the secrets of the process wherever they stand, and each line of a key', () => {
    const redactor = new Redactor(['super-secret-value', 'line-one-of-key\nline-two-of-key', undefined, 'short']);

    expect(redactor.redactKnown('a super-secret-value, line-two-of-key, short')).toBe('a ***, ***, short');
  });

  it.each([
    'task-management-dashboard-view',
    'risk-assessment-for-all',
    'sk-learn-compatible-interface',
    'a disk-encryption-settings page',
    'eyJust a word',
  ])('P8 leaves the words %j as they are', (text) => {
    expect(new Redactor().redact(text)).toBe(text);
  });

  it('P8 of two secrets of which one begins with the other, both go whole', () => {
    const redactor = new Redactor(['abcdefgh', 'abcdefgh-and-more']);

    expect(redactor.redact('abcdefgh-and-more, abcdefgh')).toBe('***, ***');
  });

  it('P8 a private key that came in one line is known by its lines too', () => {
    const redactor = new Redactor([
      String.raw`-----BEGIN KEY-----
first-line-of-it
second-line-of-it
-----END KEY-----`,
    ]);

    expect(redactor.redact('it has second-line-of-it')).toBe('it has ***');
  });

  it('P8 redacts every text of a value, however deep, and nothing else', () => {
    const redactor = new Redactor(['super-secret-value']);

    expect(
      redactor.redactAll({
        a: 'super-secret-value',
        b: [{ c: 'x super-secret-value' }],
        n: 1,
        u: undefined,
        z: null,
        t: true,
      }),
    ).toEqual({
      a: '***',
      b: [{ c: 'x ***' }],
      n: 1,
      u: undefined,
      z: null,
      t: true,
    });
  });

  it('P8 finds a known secret in bytes', () => {
    const redactor = new Redactor(['super-secret-value']);

    expect(redactor.holdsKnownSecret(Buffer.from('\xff super-secret-value', 'latin1'))).toBe(true);
    expect(redactor.holdsKnownSecret(Buffer.from('nothing'))).toBe(false);
  });
});
