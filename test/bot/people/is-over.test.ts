import { expect, describe, it } from '@jest/globals';
import { isOver } from '../../../src/bot/people/is-over.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);

describe('bot-human-loop', () => {
  it.each([
    ['just asked', NOW, false],
    ['in time', NOW + DAY_MS - 1, false],
    ['at its end', NOW + DAY_MS, true],
    ['on a clock that was set back a little', NOW - 60_000, false],
    ['on a clock that was years ahead when it was asked', NOW - 3_000 * DAY_MS, true],
  ])('A5 a request is over when its time is, whatever became of the clock: %s', (_when, at, isIt) => {
    expect(isOver({ askedAt: NOW, expiresAt: NOW + DAY_MS }, at)).toBe(isIt);
  });
});
