import { describe, expect, it } from '@jest/globals';
import { CallId } from '../../../src/harness/llm/types.ts';
import { displayPromptContent } from '../../../src/harness/session/display-prompt-content.ts';
import { APPEND, call, LogWriter, loneSession, ROUTE, text, USER } from './session-fixture.ts';

describe('session', () => {
  it('S21 each kind of surface event becomes the message the model sees, and nothing else does', () => {
    const log = new LogWriter().turnWithCalls('c1').startCall('c1').endCall('c1', 'out').context('note');
    log.session.append('steering/message', { turn: 1, content: text('also'), source: USER }, APPEND);
    log.session.append('todo/write', { todos: [] });

    expect(log.session.deriveMessages()).toEqual([
      { role: 'user', content: text('work') },
      { role: 'assistant', content: [call('c1')], provenance: ROUTE },
      { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c1', content: text('out') }] },
      { role: 'user', content: text('note') },
      { role: 'user', content: text('also') },
    ]);
    expect(log.session.deriveEventMessage(log.session.events[0]!)).toBeNull();
  });

  it('S21 an answer without content is skipped, and a failed result says so', () => {
    const log = new LogWriter()
      .startTurn()
      .startStep()
      .answer()
      .endStep()
      .startStep()
      .answer(call('c1'))
      .startCall('c1');
    log.session.append(
      'tool/result',
      { turn: 1, step: 2, callId: CallId('c1'), content: text('no'), isError: true },
      APPEND,
    );

    expect(log.session.deriveMessages()).toEqual([
      { role: 'assistant', content: [call('c1')], provenance: ROUTE },
      { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c1', content: text('no'), isError: true }] },
    ]);
  });

  it('S22 each call gives a fresh array of the same frozen messages', () => {
    const log = new LogWriter().shortTurn();
    const first = log.session.deriveMessages();

    first.push({ role: 'user', content: [] });
    log.startTurn().context('more');
    const second = log.session.deriveMessages();

    expect(second).toHaveLength(3);
    expect(second[0]).toBe(first[0]);
    expect(Object.isFrozen(second[0]) && Object.isFrozen(second[0]?.content)).toBe(true);
    expect(() => second[0]!.content.push(...text('x'))).toThrow(TypeError);
  });

  it('S22 after every append the cached history equals a replay from the start', () => {
    const log = new LogWriter();
    const check = () => expect(log.session.deriveMessages()).toEqual(loneSession(log.session.events).deriveMessages());

    log.shortTurn('one', 'two');
    check();
    log.startTurn();
    const [start, end] = log.session.surface.nodes as [number, number];
    log.session.append(
      'user/message',
      { content: text('condensed'), source: USER },
      { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: [start, end] },
    );
    check();
    log.prompt('three');
    check();

    expect(log.session.deriveMessages().map(({ content }) => content)).toEqual([text('condensed'), text('three')]);
  });

  it('S23 the envelope of a prompt keeps what the person wrote', () => {
    const prefix = text('the issue');
    const data = {
      content: [...prefix, ...text('\n\n## My request:\n'), ...text('fix it')],
      source: USER,
      envelope: { displayContent: text('fix it'), prefixContexts: [{ source: USER }] },
    };
    const { session } = new LogWriter().startTurn();
    session.append('user/message', data, APPEND);

    expect(session.deriveMessages()[0]?.content).toHaveLength(3);
    expect(displayPromptContent(data)).toEqual(text('fix it'));
    expect(displayPromptContent({ content: prefix, source: USER })).toEqual(prefix);
  });
});
