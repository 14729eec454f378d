import { describe, expect, it } from '@jest/globals';
import { COMMAND_TEXTS, textsFor } from '../../../src/bot/commands/command-texts.ts';
import { COMMANDS } from '../../../src/triggers/command-table.ts';

const said = (text: string, language?: 'en' | 'zh') =>
  textsFor({ intake: { reading: { command: { text } } }, place: { config: { language } } });

describe('commands', () => {
  it('C9 every command is described in each language', () => {
    for (const { summaries } of Object.values(COMMAND_TEXTS))
      expect(Object.keys(summaries).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it('C17 answers are in the configured language, else in that of the person', () => {
    expect(said('', 'zh')).toBe(COMMAND_TEXTS.zh);
    expect(said('给会话起名')).toBe(COMMAND_TEXTS.zh);
    expect(said('Give it a name', 'en')).toBe(COMMAND_TEXTS.en);
    expect(said('')).toBe(COMMAND_TEXTS.en);
  });

  it('C17 the two languages say the same things', () => {
    expect(Object.keys(COMMAND_TEXTS.zh).sort()).toEqual(Object.keys(COMMAND_TEXTS.en).sort());
    expect(COMMAND_TEXTS.zh.budgetIs('$1', 2, '3', 4, '$5')).toMatch(/\$1.*2.*3.*4.*\$5/);
    expect(COMMAND_TEXTS.zh.waiting('approval', 'ap_1', undefined)).toContain('`ap_1`');
  });
});
