import { describe, expect, it } from '@jest/globals';
import { decideApproval } from '../../../../src/bot/people/answer/settle-answer.ts';
import type { AnswerFacts } from '../../../../src/bot/people/answer/settle-answer.ts';
import type { SettleParked } from '../../../../src/harness/agent/parked.ts';
import { standingOf } from '../../../../src/bot/people/standing-of.ts';
import { waitingRequest } from '../../../../src/bot/people/waiting-request.ts';
import { CallId } from '../../../../src/harness/llm/types.ts';
import type { HumanRequest } from '../../../../src/store/records.ts';
import type { SessionEvent } from '../../../../src/harness/session/types.ts';
import { approvalRequest, ARGUMENTS } from '../request-fixture.ts';

const CALL = { callId: CallId('c1'), name: 'bash', arguments: ARGUMENTS };
const PARKED: Pick<SettleParked, 'waitingFor' | 'call'> = { waitingFor: { kind: 'approval', id: 'ap_1' }, call: CALL };
const FACTS: AnswerFacts = { policy: 'ask', lostTree: undefined };
const allowed = (changed: Partial<HumanRequest> = {}) => approvalRequest({ state: 'allowed', ...changed });

describe('approval', () => {
  it('N6 a yes is for the very call that was shown', () => {
    expect(decideApproval(allowed(), FACTS, PARKED)).toEqual({ outcome: 'allowed-once', refusal: undefined });
  });

  it.each<[string, HumanRequest, Partial<AnswerFacts>, Partial<typeof PARKED>, string, RegExp]>([
    [
      'a byte of its arguments is another',
      allowed(),
      {},
      { call: { ...CALL, arguments: `${ARGUMENTS} ` } },
      'unavailable',
      /not what this call would do/,
    ],
    [
      'it is another tool',
      allowed(),
      {},
      { call: { ...CALL, name: 'write' } },
      'unavailable',
      /not what this call would do/,
    ],
    [
      'it is another call',
      allowed(),
      {},
      { call: { ...CALL, callId: CallId('c2') } },
      'unavailable',
      /not what this call would do/,
    ],
    [
      'the turn waits for another request',
      allowed(),
      {},
      { waitingFor: { kind: 'approval', id: 'ap_2' } },
      'unavailable',
      /another request/,
    ],
    [
      'the work tree is lost',
      allowed(),
      { lostTree: 'its changes are no longer kept' },
      {},
      'unavailable',
      /work tree .* is lost \(its changes/,
    ],
    ['approvals are switched off by now', allowed(), { policy: 'never' }, {}, 'rejected', /switched off/],
    [
      'a person said no',
      approvalRequest({
        state: 'rejected',
        answer: { actor: undefined, how: 'box', value: 'too wide', url: undefined, at: 1 },
      }),
      {},
      {},
      'rejected',
      /refused this call: too wide — /,
    ],
    ['nobody answered', approvalRequest({ state: 'unavailable' }), {}, {}, 'unavailable', /nobody answered in time/],
    ['it was withdrawn', approvalRequest({ state: 'cancelled' }), {}, {}, 'cancelled', /was withdrawn/],
    ['it is somehow still open', approvalRequest(), {}, {}, 'unavailable', /nobody answered/],
  ])('N6 N7 N10 A3 refused with its reason where %s', (_case, request, facts, parked, outcome, refusal) => {
    expect(decideApproval(request, { ...FACTS, ...facts }, { ...PARKED, ...parked })).toEqual({
      outcome,
      refusal: expect.stringMatching(refusal) as unknown as string,
    });
  });

  it('N6 a publication has no call: its plan is compared when it goes on', () => {
    const request = allowed({ callId: undefined, tool: 'publish' });
    expect(decideApproval(request, FACTS, { waitingFor: PARKED.waitingFor }).outcome).toBe('allowed-once');
    expect(decideApproval(request, FACTS, PARKED).outcome).toBe('unavailable');
  });
});

let seq = 0;
const event = (type: string, data: object) => ({ type, seq: seq++, time: 0, data }) as unknown as SessionEvent;
const start = (turn: number, trigger: object = { kind: 'github-command', cause: 'comment-1' }) =>
  event('turn/start', { turn, trigger });
const end = (turn: number, kind: string) => event('turn/end', { turn, reason: { kind } });
const asked = event('human/asked', { turn: 1, request: 'ap_1', kind: 'approval', callId: 'c1' });
const answer = event('human/answer', { turn: 2, request: 'ap_1', how: 'command', at: 0 });
const decided = event('approval/decided', { id: 'ap_1', outcome: 'allowed-once' });
const byAnswer = start(2, { kind: 'github-answer', cause: 'comment-1', request: 'ap_1' });

describe('bot-human-loop', () => {
  it.each<[string, SessionEvent[], string | undefined, string]>([
    ['a parked turn', [start(1), asked, end(1, 'parked')], 'ap_1', 'waits'],
    ['a turn whose process was lost while it waited', [start(1), asked], 'ap_1', 'waits'],
    [
      'a note between',
      [start(1), asked, end(1, 'parked'), start(2, { kind: 'injection' }), end(2, 'completed')],
      'ap_1',
      'waits',
    ],
    ['answered in its own turn', [start(1), asked, answer, decided], undefined, 'over'],
    ['a turn that ended otherwise', [start(1), asked, end(1, 'aborted')], undefined, 'over'],
    ['another command came', [start(1), asked, end(1, 'parked'), start(2)], undefined, 'over'],
    ['the answering turn was lost before its answer was logged', [start(1), asked, byAnswer], 'ap_1', 'waits'],
    ['it was lost before what that decides was logged', [start(1), asked, byAnswer, answer], 'ap_1', 'waits'],
    [
      'that turn was closed as parked again',
      [start(1), asked, end(1, 'parked'), byAnswer, end(2, 'parked')],
      'ap_1',
      'waits',
    ],
    [
      'that turn was closed without its answer',
      [start(1), asked, end(1, 'parked'), byAnswer, end(2, 'interrupted')],
      undefined,
      'cut-off',
    ],
    [
      'the answering turn runs or was lost',
      [start(1), asked, end(1, 'parked'), byAnswer, answer, decided],
      undefined,
      'cut-off',
    ],
    [
      'the answering turn was cut off',
      [start(1), asked, end(1, 'parked'), byAnswer, answer, decided, end(2, 'interrupted')],
      undefined,
      'cut-off',
    ],
    [
      'the answering turn is done',
      [start(1), asked, end(1, 'parked'), byAnswer, answer, decided, end(2, 'completed')],
      undefined,
      'over',
    ],
    ['nothing was asked', [start(1), end(1, 'completed')], undefined, 'over'],
    ['an empty log', [], undefined, 'over'],
  ])('K3 what a log still waits for: %s', (_case, events, waits, standing) => {
    expect(waitingRequest(events)).toBe(waits);
    expect(standingOf(events, 'ap_1', 'c')).toBe(standing);
    expect(standingOf(events, 'ap_other', 'c')).toBe('over');
  });

  const of = (turn: number, cause: string) => ({
    type: 'turn/start',
    data: { turn, trigger: { kind: 'github-command', cause } },
  });
  const plan = (approved: boolean) => ({
    type: 'job/result',
    data: { turn: 1, result: { produced: { kind: 'plan', text: 'x', approved } } },
  });
  it.each<[string, boolean, object[], string]>([
    ['has not begun', true, [], 'cut-off'],
    ['was lost', true, [of(3, 'c-approved')], 'cut-off'],
    ['was cut off', true, [of(3, 'c-approved'), end(3, 'interrupted')], 'cut-off'],
    ['is done', true, [of(3, 'c-approved'), end(3, 'completed')], 'over'],
    ['was stopped by a person', true, [of(3, 'c-approved'), end(3, 'aborted')], 'over'],
    ['is not due, for the plan was not approved', false, [], 'over'],
  ])('N11 H2 the fix of a plan %s', (_case, approved, more, standing) => {
    const events = [of(1, 'c'), asked, answer, decided, plan(approved), end(1, 'completed'), ...more].map(
      (event, seq) => ({ ...event, seq }),
    ) as never;

    expect(standingOf(events, 'ap_1', 'c')).toBe(standing);
    expect(standingOf(events, 'ap_other', 'c')).toBe('over');
  });
});
