import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Redactor } from '../../../src/publish/redact.ts';
import { maskJson } from '../../../src/seams/log-redaction/mask-json.ts';
import { TextMask, maskText } from '../../../src/seams/log-redaction/text-mask.ts';

const secretsOf = (...known: string[]) => ({ known });
const TOKEN = 'ghs_0123456789abcdef';

/** What comes out piece by piece, and then at the end. */
function piecewise(pieces: readonly string[], known: readonly string[]): string[] {
  const mask = new TextMask({ known });
  return [...pieces.map((piece) => mask.push(piece)), mask.end()];
}

describe('log-redaction', () => {
  it('LR1 a secret that is cut anywhere never comes out, and nothing else is changed', () => {
    for (let cut = 1; cut < TOKEN.length; cut += 1) {
      const pieces = [`key: ${TOKEN.slice(0, cut)}`, `${TOKEN.slice(cut)} end`];
      expect(piecewise(pieces, [TOKEN]).join('')).toBe('key: *** end');
    }
    expect(piecewise([...`a ${TOKEN} b`], [TOKEN]).join('')).toBe('a *** b');
  });

  it('LR1 only what may begin a secret waits, and less of it than the secret has', () => {
    const mask = new TextMask(secretsOf(TOKEN));

    expect(mask.push('nothing here')).toBe('nothing here');
    expect(mask.push(` ${TOKEN.slice(0, -1)}`)).toBe(' ');
    expect(mask.push('!')).toBe(`${TOKEN.slice(0, -1)}!`);
    expect(mask.push('ends in ghs_')).toBe('ends in ');
    expect(mask.end()).toBe('ghs_');
  });

  it('LR4 the longer of two secrets is masked whole, also where the shorter one was complete before', () => {
    const known = ['secret-1', 'secret-1-and-more'];

    expect(piecewise(['secret-1', '-and', '-more!'], known)).toEqual(['', '', '***!', '']);
    expect(piecewise(['secret-1', '-but-not'], known).join('')).toBe('***-but-not');
  });

  it('LR4 secrets that overlap leave nothing of either, wherever the text is cut', () => {
    const known = ['abcdefgh', 'fghijklm'];

    for (let cut = 1; cut < 13; cut += 1) {
      const text = 'abcdefghijklm';
      expect(piecewise([text.slice(0, cut), text.slice(cut), '.'], known).join('')).toBe('***.');
    }
  });

  it('LR1 LR4 any text cut into any pieces comes out as the whole one does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), fc.array(secret, { maxLength: 3 }), (pieces, known) => {
        const whole = pieces.join('');
        const out = piecewise(pieces, known).join('');
        expect(out).toBe(maskText(whole, { known }));
        expect(known.some((value) => out.includes(value))).toBe(false);
      }),
    );
  });

  it('LR3 what is masked here is what the redactor masks', () => {
    const redactor = new Redactor([TOKEN, 'another-secret', `-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCC\n-----END`]);
    const text = `${TOKEN}${TOKEN} another-secret AAAABBBBCCCC another-secre`;

    expect(maskText(text, redactor)).toBe(redactor.redactKnown(text));
  });

  it('LR3 plain data is masked in all its texts and names; clean data stays the same object', () => {
    const deep: unknown[] = [];
    let at = deep;
    for (let depth = 0; depth < 50_000; depth += 1) at.push((at = []));
    const clean = { text: 'fine', list: [1, null, { deep }] };

    expect(maskJson(clean, secretsOf(TOKEN))).toBe(clean);
    expect(maskJson({ [`x${TOKEN}`]: ['a', { b: `is ${TOKEN}` }, 1] }, secretsOf(TOKEN))).toEqual({
      'x***': ['a', { b: 'is ***' }, 1],
    });
  });
});
