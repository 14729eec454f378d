import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { promptMessage } from '../../../src/harness/agent/prompt-message.ts';
import { collectSessionTitleMessages } from '../../../src/seams/session-title/collect-messages.ts';
import { fallbackSessionTitle } from '../../../src/seams/session-title/fallback-title.ts';
import { normalizeSessionTitle, truncateTitleUtf8 } from '../../../src/seams/session-title/normalize-title.ts';
import { APPEND, LogWriter, text } from '../../harness/session/session-fixture.ts';
import { CONFIG } from './title-bench.ts';

describe('session-title', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m and \u009b1;2mbold', 'red and bold'],
    ['a window title', '\u001b]0;evil\u0007name', 'name'],
    ['one that ends otherwise', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['one that never ends', 'name\u001b]0;rest of it', 'name'],
    ['two-byte sequences', '\u001bcname\u001b=\u001b(B', 'name'],
    ['controls', 'a\u0000b\u0007c\u0085d\u009fe', 'abcde'],
    ['zero-width signs', 'a\u200bb\u200dc\ufeffd\u2060e', 'abcde'],
    ['bidirectional controls', '\u202eabc\u2066def\u2069', 'abcdef'],
    ['blanks', '  a \t\r\n b\u00a0c\u2003d ', 'a b c d'],
    ['nothing', ' \u001b[0m\u200b\n', undefined],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ])('T3 takes out %s', (_what, given, expected) => {
    expect(normalizeSessionTitle(given, 100)).toBe(expected);
  });

  it('T3 cuts to whole code points, and to nothing where not even one fits', () => {
    expect(normalizeSessionTitle('aé😀b', 7)).toBe('aé😀');
    expect(normalizeSessionTitle('aé😀b', 6)).toBe('aé');
    expect(normalizeSessionTitle('ab cd', 3)).toBe('ab');
    expect(normalizeSessionTitle('😀', 3)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(50), (given, max) => {
        const cut = truncateTitleUtf8(given.toWellFormed(), max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(given.toWellFormed().startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  it('T2 reads what people wrote, without what stood before it, and passes over prompts without text', () => {
    const log = new LogWriter();
    const user = { kind: 'user' } as const;
    const github = {
      kind: 'github',
      actor: 'm',
      association: 'MEMBER',
      permission: 'write',
      url: 'u',
      trusted: true,
    } as const;
    const prefix = {
      content: text('DATA'),
      source: { kind: 'plugin' as const, plugin: 'x' },
      placement: 'prompt-prefix' as const,
    };
    const prompts = [
      promptMessage(text(' \u001b[0m '), user, []),
      promptMessage([], user, []),
      promptMessage(text('by a plugin'), { kind: 'plugin', plugin: 'x' }, []),
      promptMessage([...text('first'), ...text('line')], github, [prefix]),
      promptMessage(text('second'), user, []),
    ];
    for (const prompt of prompts) {
      log.startTurn().session.append('user/message', prompt, APPEND);
      log.context('a context').endTurn();
    }

    expect(collectSessionTitleMessages(log.session.events)).toEqual([
      { seq: 13, text: 'first\nline' },
      { seq: 17, text: 'second' },
    ]);
    expect(collectSessionTitleMessages(log.session.events, 13)).toHaveLength(1);
  });

  it('T4 falls back on the first words of the first message', () => {
    const messages = [
      { seq: 3, text: '  please   mend\nthe total of it' },
      { seq: 9, text: 'later' },
    ];
    const source = { kind: 'fallback' };
    expect(fallbackSessionTitle(messages, CONFIG)).toEqual({
      title: 'please mend the total',
      messageSeqs: [3],
      source,
    });
    expect(fallbackSessionTitle(messages, { ...CONFIG, fallbackMaxBytes: 9 })?.title).toBe('please me');
    expect(fallbackSessionTitle([{ seq: 1, text: '😀' }], { ...CONFIG, fallbackMaxBytes: 3 })).toBeUndefined();
    expect(fallbackSessionTitle([], CONFIG)).toBeUndefined();
  });
});
