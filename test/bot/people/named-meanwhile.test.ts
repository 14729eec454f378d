import { describe, expect, it } from '@jest/globals';
import { takeUp } from '../../../src/bot/job/take-up.ts';
import { turnOutcome } from '../../../src/bot/job/turn-outcome.ts';
import { standingOf } from '../../../src/bot/people/standing-of.ts';
import { waitingRequest } from '../../../src/bot/people/waiting-request.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

const PARKED = { kind: 'parked', waitingFor: { kind: 'question', id: 'q_1' }, callId: 'c1' };
const event = (seq: number, type: string, data: object) => ({ seq, type, data }) as unknown as SessionEvent;
const parkedLog = [
  event(0, 'turn/start', { turn: 1, trigger: { kind: 'github-command', cause: 'comment-1' } }),
  event(1, 'human/asked', { turn: 1, request: 'q_1', kind: 'question', callId: 'c1' }),
  event(2, 'turn/end', { turn: 1, reason: PARKED }),
];
const background = (kind: string, turn: number, seq: number) => [
  event(seq, 'turn/start', { turn, trigger: { kind } }),
  event(seq + 1, 'turn/end', { turn, reason: { kind: 'completed' } }),
];

describe('bot-human-loop', () => {
  it.each(['session-title', 'maintenance', 'injection'])(
    'K2 K4 what is done in the background while a person is waited for (%s) leaves the turn waiting',
    (kind) => {
      const events = [...parkedLog, ...background(kind, 2, 3)];
      expect(waitingRequest(events)).toBe('q_1');
      expect(standingOf(events, 'q_1', 'comment-1')).toBe('waits');
      expect(turnOutcome(events, { aborted: false }).status).toBe('parked');
      expect(takeUp(events, { cause: 'comment-1', opening: undefined })).toMatchObject({
        kind: 'waits',
        request: 'q_1',
      });
    },
  );

  it('U7 nor does it hide that the session’s last turn was cut off', () => {
    const begun = event(0, 'turn/start', { turn: 1, trigger: { kind: 'github-command', cause: 'comment-1' } });
    const cut = event(1, 'turn/end', { turn: 1, reason: { kind: 'interrupted' } });
    const events = [begun, cut, ...background('session-title', 2, 2)];
    expect(takeUp(events, { cause: 'comment-2', opening: undefined })).toMatchObject({ kind: 'begin', cutOff: 1 });
  });

  it('K2 nor does it hide that the answering turn was cut off', () => {
    const answering = event(3, 'turn/start', {
      turn: 2,
      trigger: { kind: 'github-answer', request: 'q_1', cause: 'comment-1' },
    });
    const answered = event(4, 'human/answer', { turn: 2, request: 'q_1' });
    const cut = event(5, 'turn/end', { turn: 2, reason: { kind: 'interrupted' } });
    const events = [...parkedLog, answering, answered, cut, ...background('session-title', 3, 6)];
    expect(standingOf(events, 'q_1', 'comment-1')).toBe('cut-off');
  });
});
