import { describe, expect, it } from '@jest/globals';
import { reviewDueAt, whyNotReviewed } from '../../src/triggers/automatic-review.ts';
import type { AutomaticFacts } from '../../src/triggers/automatic-review.ts';
import type { Reading } from '../../src/triggers/reading.ts';

const FACTS: AutomaticFacts = { currentHead: 'a', reviewedHeads: [], authorPermission: 'write', today: 0 };
const why = (facts: Partial<AutomaticFacts>, reading = {}) =>
  whyNotReviewed({ headSha: 'a', action: 'synchronize', ...reading }, { ...FACTS, ...facts });

describe('bot-review', () => {
  it.each([
    ['the newest head is reviewed', {}, {}, undefined],
    ['an older head is not', { currentHead: 'b' }, {}, 'superseded'],
    ['a head that was reviewed is not', { reviewedHeads: ['x', 'a'] }, {}, 'already-reviewed'],
    [
      'a head that was reviewed is, when we are asked by name',
      { reviewedHeads: ['a'] },
      { action: 'review_requested' },
      undefined,
    ],
  ] as const)('R6 R13 %s', (_, facts, reading, expected) => {
    expect(why(facts as Partial<AutomaticFacts>, reading)).toBe(expected);
  });

  it.each([
    ['a push waits for the next one', { kind: 'pull-request', action: 'synchronize' }, 120_000, 1_120_000],
    ['an opened pull request does not wait', { kind: 'pull-request', action: 'opened' }, 120_000, undefined],
    ['a command does not wait', { kind: 'command' }, 120_000, undefined],
    ['nothing waits where that is off', { kind: 'pull-request', action: 'synchronize' }, 0, undefined],
  ] as const)('R13 %s', (_, reading, debounceMs, due) => {
    expect(reviewDueAt(reading as unknown as Reading, { debounceMs } as never, 1_000_000)).toBe(due);
  });
});

describe('bot-security', () => {
  it.each([
    ['the third of a stranger', { authorPermission: 'read', today: 2 }, {}, undefined],
    ['the fourth of a stranger', { authorPermission: 'read', today: 3 }, {}, 'daily-limit'],
    [
      'the fourth of one who could not be looked up',
      { authorPermission: 'could-not-check', today: 3 },
      {},
      'daily-limit',
    ],
    ['the fourth of one who may write', { authorPermission: 'write', today: 30 }, {}, undefined],
    [
      'the fourth of a stranger, when a person asks us',
      { authorPermission: 'read', today: 3 },
      { action: 'review_requested' },
      undefined,
    ],
  ] as const)('X12 %s in a day', (_, facts, reading, expected) => {
    expect(why(facts as Partial<AutomaticFacts>, reading)).toBe(expected);
  });
});
