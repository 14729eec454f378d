import { describe, expect, it } from '@jest/globals';
import { sinceJobBegan } from '../../../src/bot/job/since-job-began.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

const turn = (kind: string, number: number) =>
  ({ type: 'turn/start', data: { turn: number, trigger: { kind } } }) as unknown as SessionEvent;

describe('bot-human-loop', () => {
  it('K2 a job goes over all the turns that waited, whatever was done in the background between them', () => {
    const events = ['github-command', 'injection', 'session-title', 'maintenance', 'github-answer', 'github-resume'];
    const log = [turn('github-command', 1), ...events.map((kind, at) => turn(kind, at + 2))];

    expect(sinceJobBegan(log).map(({ data }) => (data as { turn: number }).turn)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(sinceJobBegan([])).toEqual([]);
    expect(sinceJobBegan([...log, turn('github-issue', 9)])).toHaveLength(1);
  });
});
