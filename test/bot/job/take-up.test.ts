import { describe, expect, it } from '@jest/globals';
import { takeUp } from '../../../src/bot/job/take-up.ts';
import { resumeContent } from '../../../src/bot/context/resume-content.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';

const CAUSE = 'comment-9';

/** A log of turns: the trigger of each, what happened in it, and how it ended. */
function log(...turns: { trigger: object; asked?: boolean; end?: string; more?: object[] }[]): SessionEvent[] {
  const events = turns.flatMap(({ trigger, asked = true, end, more = [] }, index) => [
    { type: 'turn/start', data: { turn: index + 1, trigger } },
    ...(asked ? [{ type: 'user/message', data: {} }] : []),
    ...more,
    ...(end ? [{ type: 'turn/end', data: { turn: index + 1, reason: { kind: end } } }] : []),
  ]);
  return events.map((event, seq) => ({ ...event, seq, time: 0 }) as unknown as SessionEvent);
}

const command = (cause = CAUSE) => ({ kind: 'github-command', cause, delivery: 'd' });
const asks = (events: SessionEvent[]) => takeUp(events, { cause: CAUSE, opening: undefined });
const answers = (events: SessionEvent[]) =>
  takeUp(events, { cause: CAUSE, opening: { kind: 'answer', request: { id: 'ap_1' } as HumanRequest } });

describe('bot-hosts', () => {
  it('H2 a job that is not in the log begins', () => {
    expect(asks([])).toEqual({ kind: 'begin', from: 0 });
    expect(asks(log({ trigger: command('comment-1') }))).toEqual({ kind: 'begin', from: 2, cutOff: 1 });
    expect(asks(log({ trigger: command('comment-1'), end: 'completed' }))).toEqual({ kind: 'begin', from: 3 });
  });

  it.each([undefined, 'interrupted', 'disposed'])('H2 a turn that ended as %s is gone on with', (end) => {
    const events = log({ trigger: command('comment-1'), end: 'completed' }, { trigger: command(), end });

    expect(asks(events)).toEqual({ kind: 'resume', from: 3, turn: 2, wasAsked: true });
  });

  it('H2 the last turn of the job counts, with those that continued it', () => {
    const resumed = { kind: 'github-resume', cause: CAUSE, turn: 1 };

    expect(asks(log({ trigger: command(), end: 'interrupted' }, { trigger: resumed }))).toMatchObject({
      ...{ kind: 'resume', from: 0, turn: 2 },
    });
    expect(asks(log({ trigger: command(), end: 'interrupted' }, { trigger: resumed, end: 'completed' }))).toEqual({
      ...{ kind: 'tell', from: 0 },
    });
  });

  it('H2 a turn whose request is not in the log was never asked', () => {
    expect(asks(log({ trigger: command(), asked: false }))).toMatchObject({ kind: 'resume', wasAsked: false });
  });
});

describe('bot-triggers', () => {
  it.each(['completed', 'aborted', 'error', 'rejected', 'max-tokens', 'parked'])(
    'T5 a job that ended as %s is not run again, only told',
    (end) => {
      expect(asks(log({ trigger: command(), end }))).toEqual({ kind: 'tell', from: 0 });
    },
  );

  it.each([
    ['error', { kind: 'begin', from: 3 }],
    ['aborted', { kind: 'begin', from: 3 }],
    ['completed', { kind: 'tell', from: 0 }],
  ])('T5 a job that ended as %s, and whose workflow a person runs again', (end, expected) => {
    const again = { cause: CAUSE, opening: undefined, isAgain: true };

    expect(takeUp(log({ trigger: command(), end }), again)).toEqual(expected);
  });
});

describe('bot-human-loop', () => {
  const answer = { kind: 'github-answer', cause: CAUSE, request: 'ap_1' };

  it('K2 an answer begins its turn once, goes on with it when that was cut off, and else is only told', () => {
    const asked = { type: 'human/asked', data: { turn: 1, request: 'ap_1', kind: 'approval' } };
    const parked = { trigger: command(), end: 'parked', more: [asked] };

    expect(answers(log(parked))).toEqual({ kind: 'waits', from: 0, request: 'ap_1' });
    expect(answers(log({ ...parked, end: undefined }))).toEqual({ kind: 'waits', from: 0, request: 'ap_1' });
    expect(answers(log(parked, { trigger: answer, end: 'interrupted' }))).toMatchObject({ kind: 'resume', turn: 2 });
    expect(answers(log(parked, { trigger: answer, end: 'completed' }))).toEqual({ kind: 'tell', from: 0 });
  });
});

describe('persistence', () => {
  it('B2 the model is told what was cut off, what became of the tree, and which calls may have done something', () => {
    const call = { type: 'tool/call', data: { turn: 1, callId: 'c1', name: 'bash' } };
    const result = { type: 'tool/result', data: { turn: 1, callId: 'c1', error: { code: 'TOOL_OUTCOME_UNKNOWN' } } };
    const events = log({ trigger: command(), end: 'interrupted', more: [call, result] });

    const [block] = resumeContent(events, 1, 'from-snapshot');

    expect(block).toMatchObject({ type: 'text', text: expect.stringMatching(/^<host-note>\n[\s\S]*<\/host-note>$/) });
    expect(block).toMatchObject({ text: expect.stringContaining('not known: `bash`') });
    expect(block).toMatchObject({ text: expect.stringContaining('last changes may be missing') });
    expect(resumeContent(log({ trigger: command() }), 1, 'as-it-stood')).toMatchObject([
      { text: expect.not.stringContaining('not known') },
    ]);
  });
});
