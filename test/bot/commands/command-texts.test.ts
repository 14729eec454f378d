import { describe, expect, it } from '@jest/globals';
import { COMMAND_TEXTS, textsFor } from '../../../src/bot/commands/command-texts.ts';
import { GOAL_TEXTS_OF } from '../../../src/bot/commands/goal-texts.ts';
import { REASON_TEXTS } from '../../../src/publish/request/reason-texts.ts';
import { UNFIT_TEXTS } from '../../../src/publish/request/unfit-texts.ts';
import { REPLY_TEXTS } from '../../../src/triggers/reply-texts.ts';
import { COMMANDS } from '../../../src/triggers/command-table.ts';

const said = (text: string, language?: 'en' | 'zh') =>
  textsFor({ intake: { reading: { command: { text } } }, place: { config: { language } } });

describe('commands', () => {
  it('C9 every command is described in each language', () => {
    for (const { summaries } of Object.values(COMMAND_TEXTS))
      expect(Object.keys(summaries).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it('answers are in the configured language, else in that of the person', () => {
    expect(said('', 'zh')).toBe(COMMAND_TEXTS.zh);
    expect(said('给会话起名')).toBe(COMMAND_TEXTS.zh);
    expect(said('Give it a name', 'en')).toBe(COMMAND_TEXTS.en);
    expect(said('')).toBe(COMMAND_TEXTS.en);
  });

  it('the two languages say the same things', () => {
    for (const { en, zh } of [COMMAND_TEXTS, REPLY_TEXTS, GOAL_TEXTS_OF, UNFIT_TEXTS, REASON_TEXTS])
      expect(shapeOf(zh)).toEqual(shapeOf(en));
    expect(COMMAND_TEXTS.zh.budgetIs('$1', 2, '3', 4, '$5')).toMatch(/\$1.*2.*3.*4.*\$5/);
    expect(COMMAND_TEXTS.zh.waiting('approval', 'ap_1', undefined)).toContain('`ap_1`');
    expect(COMMAND_TEXTS.zh.unqueued(3)).toContain('3');
    expect(COMMAND_TEXTS.en.unqueued(1)).toMatch(/^One command/);
  });

  it('nothing is left in the other language', () => {
    const words = (text: string) => text.replaceAll(/`[^`]*`|\$\d|dsh|DSH_\w+|GITHUB_\w+|UTC|https?:\S+|#\d+/g, '');
    for (const { zh } of [COMMAND_TEXTS, REPLY_TEXTS, GOAL_TEXTS_OF, UNFIT_TEXTS, REASON_TEXTS])
      expect(
        textsIn(zh).filter((text) => /[A-Za-z]{4,}/.test(words(text).replaceAll(/GitHub|undefined/g, ''))),
      ).toEqual([]);
    for (const { en } of [COMMAND_TEXTS, REPLY_TEXTS, GOAL_TEXTS_OF, UNFIT_TEXTS, REASON_TEXTS])
      expect(textsIn(en).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
  });
});

/** The keys, at every depth, and whether a word or a sentence with gaps stands there. */
function shapeOf(texts: object): unknown {
  return Object.entries(texts)
    .map(([key, text]) => [key, typeof text === 'object' ? shapeOf(text as object) : typeof text])
    .sort();
}

/** Every text, its gaps filled with numbers. */
function textsIn(texts: object): string[] {
  return Object.values(texts).flatMap((text: unknown) => {
    if (typeof text === 'string') return [text];
    return typeof text === 'function'
      ? [String((text as (...gaps: unknown[]) => string)(GAP, GAP, GAP, GAP, GAP))]
      : textsIn(text as object);
  });
}

/** Fits wherever a text takes a list, a number or facts. */
const GAP = Object.assign([7], { near: undefined, usage: '7' });
