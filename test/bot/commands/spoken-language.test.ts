import { describe, expect, it } from '@jest/globals';
import { answerCommand } from '../../../src/bot/commands/answer-command.ts';
import { COMMAND_TEXTS } from '../../../src/bot/commands/command-texts.ts';
import type { CommandIntake } from '../../../src/bot/commands/human-command.ts';
import { spokenLanguage } from '../../../src/bot/commands/spoken-language.ts';
import type { BotServices, Place } from '../../../src/bot/job/services.ts';
import { DEFAULT_CONFIG } from '../../../src/config/default-config.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

const begun = (...texts: string[]) =>
  texts.map((text, at) => ({
    ...{ type: 'turn/start', seq: at, time: 0 },
    data: { turn: at + 1, trigger: { kind: 'github-command', command: { name: 'fix', args: {}, text } } },
  })) as unknown as SessionEvent[];

describe('commands', () => {
  it.each([
    ['Chinese words', begun('修复这个错误'), 'zh'],
    ['the last ones that are a sentence', begun('修复这个错误', 'fix the test', '', 'resume'), 'en'],
    ['no words', begun('', 'resume'), undefined],
    ['nobody’s turn', [], undefined],
  ])('a session is spoken to in the language of %s', (_what, events, language) => {
    expect(spokenLanguage(events)).toBe(language);
  });

  it.each([
    ['a command without words', '', undefined, 'zh'],
    ['one where a language is configured', '', 'en', 'en'],
    ['one with words of its own', 'now please', undefined, 'en'],
    ['one whose log cannot be read', '', undefined, 'en'],
  ] as const)('%s is answered in its language', async (what, text, configured, language) => {
    const logged: string[] = [];
    const services = {
      sessions: {
        has: async () => true,
        inspect: async () => {
          if (what.includes('cannot')) throw new Error('no');
          return { events: begun('修复这个错误') };
        },
      },
      ...{ live: { of: () => undefined, withdraw: () => 0 }, people: undefined, handlers: {} },
      log: (message: string) => void logged.push(message),
    } as unknown as BotServices;
    const config = { ...DEFAULT_CONFIG, ...(configured && { language: configured }) };
    const place = { config, signal: new AbortController().signal } as unknown as Place;
    const intake = { name: 'stop', session: 's', reading: { command: { text } } } as unknown as CommandIntake;

    expect(await answerCommand(intake, place, services)).toEqual({
      ...{ kind: 'success', text: COMMAND_TEXTS[language].nothingRuns },
    });
    expect(logged).toEqual(what.includes('cannot') ? ['the log of s could not be read'] : []);
  });
});
