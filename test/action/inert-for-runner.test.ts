import { describe, expect, it } from '@jest/globals';
import { inertForRunner } from '../../src/action/inert-for-runner.ts';

describe('bot-hosts', () => {
  it.each([
    ['::stop-commands::x', '| ::stop-commands::x'],
    [
      'said\n::error::x\n\t ::add-path::/x\n\u00a0::debug::',
      'said\n| ::error::x\n| \t ::add-path::/x\n| \u00a0::debug::',
    ],
    ['\n\n::warning::x', '\n\n| ::warning::x'],
    ['a ##[add-mask]b ##[error]', 'a # #[add-mask]b # #[error]'],
    ['###[error]', '## #[error]'],
  ])('H8 of %j the runner takes nothing for a command', (text, inert) => {
    expect(inertForRunner(text)).toBe(inert);
  });

  it.each(['std::vector', ': :', 'a ::error::b', '## [x]', ''])('H8 leaves %j as it is', (text) => {
    expect(inertForRunner(text)).toBe(text);
  });
});
