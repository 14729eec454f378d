import { describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import { interruptedTurnClosers } from '../../../src/harness/session/interrupted-turn-closers.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { ANSWER, appendRaw, LogWriter, loneSession, MESSAGE, typesOf } from './session-fixture.ts';

type Result = SessionEvent<'tool/result'>;

/** The closers of a log, which must make it a log that can go on. */
function close({ session }: LogWriter): SessionEvent[] {
  const closers = interruptedTurnClosers(session.events);
  const closed = loneSession([...session.events, ...closers]);
  expect(closed.openTurn).toBeUndefined();
  expect(interruptedTurnClosers(closed.events)).toEqual([]);
  return closers;
}

function resultsOf(closers: readonly SessionEvent[]): Result[] {
  return closers.filter((event) => event.type === 'tool/result');
}

function codesOf(closers: readonly SessionEvent[]) {
  return resultsOf(closers).map(({ data }) => [data.callId, data.error?.code]);
}

function textOf(result: Result | undefined): string {
  return result?.data.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? '';
}

describe('persistence', () => {
  it('P9 a turn that was cut off is closed: results in the order of the answer, the step, the turn', () => {
    const log = new LogWriter().turnWithCalls('c1', 'c2', 'c3').startCall('c1').startCall('c2').endCall('c2');

    const closers = close(log);

    expect(typesOf(closers)).toEqual(['tool/result', 'tool/result', 'step/end', 'turn/end']);
    expect(codesOf(closers)).toEqual([
      ['c1', 'TOOL_OUTCOME_UNKNOWN'],
      ['c3', 'TOOL_NOT_STARTED'],
    ]);
    expect(closers.at(-1)?.data).toEqual({ turn: 1, reason: { kind: 'interrupted' } });
  });

  it('P9 closers continue the numbers and repeat the last time, so that repair is deterministic', () => {
    const { session } = new LogWriter().startTurn().prompt('hi').startStep().chunk();
    const last = session.events.at(-1)!;

    const closers = interruptedTurnClosers(session.events);

    expect(closers.map(({ seq, time }) => [seq, time])).toEqual([
      [last.seq + 1, last.time],
      [last.seq + 2, last.time],
    ]);
    expect(interruptedTurnClosers(session.events)).toEqual(closers);
  });

  it('P10 a started call cites its record and warns against blind repetition, one never started may be called again', () => {
    const log = new LogWriter().turnWithCalls('c1', 'c2').startCall('c1');
    const callSeq = log.session.seq - 1;

    const [unknown, notStarted] = resultsOf(close(log));

    expect(unknown).toMatchObject({ surfaceOp: 'append', sourceEventSeqs: [callSeq] });
    expect(unknown?.data).toMatchObject({ isError: true, error: { name: 'ToolOutcomeUnknownError' } });
    expect(textOf(unknown)).toMatch(/unknown.*read-only or idempotent.*inspect.*never repeat it blindly/);
    expect(notStarted?.surfaceOp).toBe('append');
    expect(notStarted?.data).toMatchObject({ isError: true, error: { name: 'ToolNotStartedError' } });
    expect(notStarted && 'sourceEventSeqs' in notStarted).toBe(false);
    expect(textOf(notStarted)).toMatch(/not started.*again if it is still wanted/);
  });

  it('P11 calls of an earlier step are not answered, and balanced or empty logs need no closers', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endStep().startStep();

    expect(typesOf(close(log))).toEqual(['step/end', 'turn/end']);
    expect(interruptedTurnClosers([])).toEqual([]);
    expect(interruptedTurnClosers(new LogWriter().shortTurn().session.events)).toEqual([]);
  });

  it('B5 a parked turn is balanced: its open calls are left alone', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2');

    expect(close(log)).toEqual([]);
    log.startTurn({ kind: 'maintenance', command: 'title', actor: { id: 1, login: 'a' } });
    expect(typesOf(close(log))).toEqual(['turn/end']);
  });
});

describe('session', () => {
  it.each([
    ['no decision', undefined],
    ['a refusal', 'rejected'],
  ])('B6 a crash after the answering turn began, with %s durable: the call was not started', (_name, outcome) => {
    const log = new LogWriter().parkedTurn('c1', 'c2').startTurn(ANSWER);
    if (outcome) appendRaw(log.session, 'approval/decided', { id: 'ap_1', outcome });

    const closers = close(log);

    expect(codesOf(closers)).toEqual([
      ['c1', 'TOOL_NOT_STARTED'],
      ['c2', 'TOOL_NOT_STARTED'],
    ]);
    expect(resultsOf(closers).map(({ data }) => [data.turn, data.step])).toEqual([
      [2, 0],
      [2, 0],
    ]);
  });

  it('B6 a durable yes without a result leaves the outcome unknown', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2').startTurn(ANSWER);
    appendRaw(log.session, 'approval/decided', { id: 'ap_1', outcome: 'allowed-once' });

    const closers = close(log);

    expect(codesOf(closers)).toEqual([
      ['c1', 'TOOL_OUTCOME_UNKNOWN'],
      ['c2', 'TOOL_NOT_STARTED'],
    ]);
    expect(resultsOf(closers)[0]?.sourceEventSeqs).toHaveLength(1);
  });

  it('B6 later calls of the batch: started in the answering turn is unknown, settled ones stay as they are', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2', 'c3').startTurn(ANSWER).endCall('c1', 'done', 0);
    log.startCall('c2', 0);

    expect(codesOf(close(log))).toEqual([
      ['c2', 'TOOL_OUTCOME_UNKNOWN'],
      ['c3', 'TOOL_NOT_STARTED'],
    ]);
  });

  it('B6 a question whose answer is durable gets the answer as its result', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endStep();
    log.endTurn({ kind: 'parked', waitingFor: { kind: 'question', id: 'q_1' }, callId: CallId('c1') });
    log.startTurn(ANSWER);
    expect(codesOf(close(log))).toEqual([['c1', 'TOOL_NOT_STARTED']]);
    const value = { answers: [{ id: 'a', selected: ['yes'] }] };
    log.session.append('human/answer', { turn: 2, request: 'q_1', how: 'box', value, at: 5 });

    const [result] = resultsOf(close(log));

    expect(result?.data).toMatchObject({ callId: 'c1', isError: false });
    expect(JSON.parse(textOf(result))).toEqual(value);
  });

  it('B6 an approval of an earlier call with the same id says nothing about this one', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1');
    appendRaw(log.session, 'approval/asked', { id: 'ap_0', toolName: 'bash', callId: 'c1' });
    appendRaw(log.session, 'approval/decided', { id: 'ap_0', outcome: 'rejected' });
    log.endCall('c1').endStep().endTurn().parkedTurn('c0', 'c1').startTurn(MESSAGE);
    log.endCall('c0', 'done', 0).startCall('c1', 0);

    expect(codesOf(close(log))).toEqual([['c1', 'TOOL_OUTCOME_UNKNOWN']]);
  });
});
