import { describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import { EMPTY_LOG } from '../../../src/harness/session/log-state.ts';
import { nextLogState } from '../../../src/harness/session/next-log-state.ts';
import {
  ANSWER,
  APPEND,
  appendRaw,
  call,
  codeOf,
  LogWriter,
  loneSession,
  MESSAGE,
  rootWithSessions,
  ROUTE,
  text,
  typesOf,
  USER,
} from './session-fixture.ts';

const REFUSED = 'NOT_ENCLOSED';

describe('session', () => {
  it.each([
    ['todo/write', { todos: [] }, undefined],
    ['plugin/anything', { free: 1 }, undefined],
    ['context/message', { content: text('x'), source: USER }, APPEND],
    ['turn/end', { turn: 1, reason: { kind: 'completed' } }, undefined],
    ['step/start', { turn: 1, step: 1 }, undefined],
  ])('S7 rejects %s outside an open turn', (type, data, intent) => {
    const fresh = loneSession();
    const { session: between } = new LogWriter().shortTurn();

    expect(codeOf(() => appendRaw(fresh, type, data, intent))).toBe(REFUSED);
    expect(codeOf(() => appendRaw(between, type, data, intent))).toBe(REFUSED);
    expect(fresh.seq).toBe(0);
  });

  it('S7 allows unknown plugin types inside a turn', () => {
    const { session } = new LogWriter().startTurn();

    expect(appendRaw(session, 'plugin/anything', { free: 1 }).seq).toBe(1);
  });

  it('S8 a turn takes the next number, when none is open', () => {
    const log = new LogWriter();

    expect(codeOf(() => log.session.append('turn/start', { turn: 2, trigger: MESSAGE }))).toBe(REFUSED);
    log.startTurn();
    expect(codeOf(() => log.session.append('turn/start', { turn: 2, trigger: MESSAGE }))).toBe(REFUSED);
    log.endTurn();
    expect(codeOf(() => log.session.append('turn/start', { turn: 1, trigger: MESSAGE }))).toBe(REFUSED);
    expect(log.startTurn().turn).toBe(2);
  });

  it('S8 a turn ends by its own number, with no step open', () => {
    const log = new LogWriter().startTurn().startStep();

    expect(codeOf(() => log.endTurn())).toBe(REFUSED);
    log.endStep();
    expect(codeOf(() => log.session.append('turn/end', { turn: 2, reason: { kind: 'completed' } }))).toBe(REFUSED);
    log.endTurn();
    expect(log.session.openTurn).toBeUndefined();
  });

  it('S9 steps count from 1 in every turn, one at a time, and end by their own number', () => {
    const log = new LogWriter().startTurn();
    const start = (turn: number, step: number) => codeOf(() => log.session.append('step/start', { turn, step }));
    const end = (turn: number, step: number) => codeOf(() => log.session.append('step/end', { turn, step }));

    expect([start(1, 2), start(2, 1), end(1, 1)]).toEqual([REFUSED, REFUSED, REFUSED]);
    log.startStep();
    expect([start(1, 2), end(1, 2), end(2, 1)]).toEqual([REFUSED, REFUSED, REFUSED]);
    log.endStep();
    expect(start(1, 1)).toBe(REFUSED);
    log.startStep().endStep().endTurn().startTurn();
    expect(start(2, 1)).toBeUndefined();
  });

  it('S10 model and tool records name the open turn and step', () => {
    const log = new LogWriter().startTurn().startStep();
    const chunk = { type: 'text-delta', index: 0, text: 'x' } as const;
    const answer = { content: [call('c1')], provenance: ROUTE };

    for (const place of [
      { turn: 1, step: 2 },
      { turn: 2, step: 1 },
    ]) {
      expect(codeOf(() => log.session.append('assistant/chunk', { ...place, chunk }))).toBe(REFUSED);
      expect(codeOf(() => log.session.append('assistant/message', { ...place, ...answer }, APPEND))).toBe(REFUSED);
      expect(codeOf(() => log.session.append('request/digest', { ...place, sha256: 'x' }))).toBe(REFUSED);
    }
    log.answer(call('c1'));
    expect(codeOf(() => log.startCall('c1', 2))).toBe(REFUSED);
    log.startCall('c1');
    expect(codeOf(() => log.endCall('c1', 'done', 2))).toBe(REFUSED);
    log.endCall('c1').endStep();
    expect(codeOf(() => log.chunk())).toBe(REFUSED);
  });

  it('S10 a result needs a call of the same step, once; only a repair result needs none', () => {
    const log = new LogWriter().turnWithCalls('c1', 'c2');
    const result = (id: string, error?: { name: string; code: string }) => () =>
      log.session.append(
        'tool/result',
        { turn: 1, step: 1, callId: CallId(id), content: [], isError: true, ...(error && { error }) },
        APPEND,
      );

    expect(codeOf(result('c1'))).toBe(REFUSED);
    expect(codeOf(() => log.startCall('unasked'))).toBe(REFUSED);
    log.startCall('c1').endCall('c1');
    expect(codeOf(result('c1'))).toBe(REFUSED);
    expect(codeOf(result('c2', { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' }))).toBeUndefined();
  });

  it('S10 a call without a result may end its step and is not carried into the next one', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endStep().startStep();

    expect(log.session.pendingCalls).toEqual([]);
    expect(codeOf(() => log.endCall('c1'))).toBe(REFUSED);
    log.endStep().endTurn();
    expect(log.session.parkedCalls).toEqual([]);
  });

  it('S11 a rewritten result needs only an open turn', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endCall('c1').endStep().endTurn();
    const original = log.session.events.find((event) => event.type === 'tool/result')!;
    const rewrite = () =>
      log.session.append(
        'tool/result',
        { ...original.data, content: text('short') },
        { surfaceOp: { op: 'replace', start: original.seq, end: original.seq }, sourceEventSeqs: [original.seq] },
      );

    expect(codeOf(rewrite)).toBe(REFUSED);
    log.startTurn();
    expect(rewrite().data.content).toEqual(text('short'));
  });

  it('S11 the veto of another validator does not advance the log', async () => {
    const { sessions } = await rootWithSessions();
    const log = new LogWriter(sessions.create()).startTurn();
    let isVetoed = true;
    sessions.addValidator((_session, event) => {
      if (isVetoed && event.type === 'step/start') throw new Error('no');
    });

    expect(() => log.session.append('step/start', { turn: 1, step: 1 })).toThrow('no');
    expect(log.session.openStep).toBeUndefined();
    isVetoed = false;

    expect(log.session.append('step/start', { turn: 1, step: 1 }).seq).toBe(1);
  });

  it('S11 a seed brings the session to where its log stands', () => {
    const log = new LogWriter().shortTurn().turnWithCalls('c1').startCall('c1');

    const again = new LogWriter(loneSession(log.session.events));
    again.step = 1;

    expect([again.session.openTurn, again.session.openStep]).toEqual([2, 1]);
    expect(again.session.pendingCalls).toEqual([{ id: 'c1', name: 'bash', callSeq: log.session.seq - 1 }]);
    expect(codeOf(() => again.endCall('c1'))).toBeUndefined();
  });

  it('S12 turn numbers follow the log, whoever opened the turns before', async () => {
    const { sessions } = await rootWithSessions();
    const log = new LogWriter(sessions.create()).shortTurn();
    log.startTurn({ kind: 'injection', source: USER }).context('note').endTurn();

    expect(log.session.lastTurn).toBe(2);
    expect(codeOf(() => log.shortTurn())).toBeUndefined();
    expect(log.session.lastTurn).toBe(3);
  });

  it('S13 a turn takes one prompt before its first step, and no step after a blocked one', () => {
    const log = new LogWriter().startTurn().prompt('one');
    const blocked = () => log.session.append('prompt/blocked', { content: [], source: USER, reason: 'no' });

    expect([codeOf(() => log.prompt('two')), codeOf(blocked)]).toEqual([REFUSED, REFUSED]);
    log.startStep().answer().endStep().endTurn().startTurn().startStep().endStep();
    expect(codeOf(() => log.prompt('late'))).toBe(REFUSED);
    log.endTurn().startTurn();
    blocked();
    expect(codeOf(() => log.startStep())).toBe(REFUSED);
  });

  it('S13 a step holds one header before the first chunk, then one answer, then its calls', () => {
    const log = new LogWriter().startTurn();
    const header = () => log.session.append('request/header', { header: { config: ROUTE }, reason: 'initial' });

    expect(codeOf(header)).toBe(REFUSED);
    log.startStep();
    header();
    expect(codeOf(header)).toBe(REFUSED);
    expect(codeOf(() => log.startCall('c1'))).toBe(REFUSED);
    log.chunk();
    expect(codeOf(() => log.session.append('request/digest', { turn: 1, step: 1, sha256: 'x' }))).toBe(REFUSED);
    log.answer(call('c1'));
    expect(codeOf(() => log.chunk())).toBe(REFUSED);
    expect(codeOf(() => log.answer())).toBe(REFUSED);
    expect(codeOf(() => log.startCall('c1'))).toBeUndefined();
  });

  it('S13 contexts and steering wait until every call of the step has its result', () => {
    const log = new LogWriter().turnWithCalls('c1', 'c2').startCall('c1');
    const steer = () =>
      log.session.append('steering/message', { turn: 1, content: text('also'), source: USER }, APPEND);

    expect([codeOf(() => log.context('note')), codeOf(steer)]).toEqual([REFUSED, REFUSED]);
    log.endCall('c1').startCall('c2').endCall('c2');
    log.context('note');
    steer();
    expect(codeOf(() => log.session.append('steering/message', { turn: 2, content: [], source: USER }, APPEND))).toBe(
      REFUSED,
    );
  });

  it('B4 a parked turn may end with calls that have no result, and then the surface takes nothing else', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2');

    expect(log.session.parkedCalls.map(({ id }) => id)).toEqual(['c1', 'c2']);
    log.startTurn();
    expect(codeOf(() => log.prompt('other work'))).toBe(REFUSED);
    expect(codeOf(() => log.context('note'))).toBe(REFUSED);
    expect(codeOf(() => log.startStep())).toBe(REFUSED);
    const [first] = log.session.surface.nodes;
    expect(
      codeOf(() =>
        log.session.append(
          'user/message',
          { content: text('condensed'), source: USER },
          { surfaceOp: { op: 'replace', start: first!, end: first! }, sourceEventSeqs: [first!] },
        ),
      ),
    ).toBe(REFUSED);
    expect(appendRaw(log.session, 'approval/decided', { id: 'ap_1', outcome: 'allowed-once' }).seq).toBeGreaterThan(0);
  });

  it('B4 background turns pass over a parked session and leave its calls open', () => {
    const log = new LogWriter().parkedTurn('c1');

    log.startTurn({ kind: 'maintenance', command: 'title', actor: { id: 1, login: 'a' } }).endTurn();

    expect(log.session.parkedCalls).toHaveLength(1);
  });

  it('B4 only a call that is open can be parked on, and a publication parks without one', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endCall('c1').endStep();
    const waitingFor = { kind: 'approval', id: 'ap_2' } as const;

    expect(codeOf(() => log.endTurn({ kind: 'parked', waitingFor, callId: CallId('c1') }))).toBe(REFUSED);
    log.endTurn({ kind: 'parked', waitingFor });
    expect(log.session.parkedCalls).toEqual([]);
    log.shortTurn();
  });

  it('B5 the next turn gives the missing results first, in call order, as records of step 0', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2').startTurn(ANSWER);

    expect(codeOf(() => log.startCall('c1', 0))).toBe(REFUSED);
    log.startCall('c2', 0);
    expect(codeOf(() => log.endCall('c2', 'done', 0))).toBe(REFUSED);
    log.endCall('c1', 'done', 0).endCall('c2', 'done', 0);
    log.context('held').startStep();

    expect(log.session.parkedCalls).toEqual([]);
    expect(typesOf(log.session.events).slice(-5)).toEqual([
      'tool/call',
      'tool/result',
      'tool/result',
      'context/message',
      'step/start',
    ]);
  });

  it('B5 the result of a parked call cites the call it answers', () => {
    const log = new LogWriter().parkedTurn('c1').startTurn(ANSWER);
    const data = { turn: 2, step: 0, callId: CallId('c1'), content: [], isError: false };

    expect(codeOf(() => log.session.append('tool/result', data, APPEND))).toBe(REFUSED);
    expect(codeOf(() => log.session.append('tool/result', { ...data, turn: 1 }, APPEND))).toBe(REFUSED);
    expect(codeOf(() => log.endCall('c1', 'done', 0))).toBeUndefined();
  });

  it('B5 an answering turn may park again at a later call', () => {
    const log = new LogWriter().parkedTurn('c1', 'c2', 'c3').startTurn(ANSWER);
    log.endCall('c1', 'done', 0).startCall('c2', 0);
    log.endTurn({ kind: 'parked', waitingFor: { kind: 'question', id: 'q_1' }, callId: CallId('c2') });

    expect(log.session.parkedCalls.map(({ id }) => id)).toEqual(['c2', 'c3']);
    log.startTurn(ANSWER).endCall('c2', 'done', 0).startCall('c3', 0).endCall('c3', 'done', 0).startStep();
    expect(log.session.openStep).toBe(1);
  });

  it('step 0 exists only while calls of a parked turn are open', () => {
    const log = new LogWriter().startTurn();

    expect(codeOf(() => log.startCall('c1', 0))).toBe(REFUSED);
  });

  it('S7 the validator is a pure function over the log', () => {
    const { session } = new LogWriter().parkedTurn('c1', 'c2').startTurn(ANSWER).endCall('c1', 'done', 0);

    const once = session.events.reduce(nextLogState, EMPTY_LOG);
    const twice = session.events.reduce(nextLogState, EMPTY_LOG);

    expect(once).toEqual(twice);
    expect(once.parked.map(({ id }) => id)).toEqual(['c2']);
    expect(EMPTY_LOG).toEqual({ turn: 0, parked: [] });
  });
});
