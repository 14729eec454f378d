import { describe, expect, it } from '@jest/globals';
import { jsonText } from '../../src/cli/json-text.ts';
import { printable, printableWithout } from '../../src/cli/printable.ts';
import { Redactor } from '../../src/publish/redact.ts';

const EVERY = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join('');
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe('bot-hosts', () => {
  it('a terminal is given no control character but newline and tab', () => {
    expect(printable('\u001b[31mred\u001b[0m\u0007\r\u009b2J\u001b]0;title\u0007')).toBe('[31mred[0m2J]0;title');
    expect(printable(EVERY)).not.toMatch(OBEYED);
    expect(printable('a\n\tb é 漢 👍🏽')).toBe('a\n\tb é 漢 👍🏽');
  });

  it('P8 a secret is found before and after what parted it is gone', () => {
    const redactor = new Redactor(['super-secret-value']);
    const redact = (text: string) => redactor.redact(text);

    expect(printableWithout('super-\u001bsecret-\u0007value', redact)).toBe('***');
    expect(printableWithout(`x\u0007ghp_${'a'.repeat(36)}`, redact)).toBe('x***');
  });

  it('JSON holds the same value without a character that is obeyed', () => {
    const value = { [EVERY]: [`${EVERY}##[add-mask]x`] };

    const text = jsonText(value);

    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(text).not.toContain('##[');
    expect(JSON.parse(text)).toEqual(value);
  });
});
