import { describe, expect, it } from '@jest/globals';
import { lastOfType } from '../../../src/harness/session/last-of-type.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

const event = (seq: number, type: string) => Object.freeze({ seq, type, time: 0, data: {} }) as unknown as SessionEvent;

describe('session', () => {
  it('the last event of a type is found in a log that grows, in an older state of it and in a fork', () => {
    const log = [event(0, 'turn/start'), event(1, 'step/start'), event(2, 'step/end')];
    expect(lastOfType([], 'turn/start')).toBeUndefined();
    expect(lastOfType(log, 'step/start')).toBe(log[1]);
    expect(lastOfType(log, 'turn/end')).toBeUndefined();

    const grown = [...log, event(3, 'step/start'), event(4, 'turn/end')];
    expect(lastOfType(grown, 'step/start')).toBe(grown[3]);
    expect(lastOfType(grown, 'turn/end')).toBe(grown[4]);
    expect(lastOfType(log, 'step/start')).toBe(log[1]);

    const fork = [...log, event(3, 'step/end'), event(4, 'step/start'), event(5, 'step/end')];
    expect(lastOfType(fork, 'step/end')).toBe(fork[5]);
    expect(lastOfType(fork, 'turn/end')).toBeUndefined();
    expect(lastOfType(grown, 'step/start')).toBe(grown[3]);
  });
});
