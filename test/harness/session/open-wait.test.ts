import { describe, expect, it } from '@jest/globals';
import '../../../src/bot/session/session-events.ts';
import { interruptedTurnClosers } from '../../../src/harness/session/interrupted-turn-closers.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { callsAll, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, settle, text, tool } from '../agent/agent-bench.ts';

/** The log of a turn that asked a person about the second of three calls, as it stood when the process was lost. */
async function lostWhileWaiting(change: (b: Awaited<ReturnType<typeof bench>>) => void = () => {}) {
  const b = await bench([callsAll(['early', {}, 'early'], ['ask', { a: 1 }, 'ask'], ['late', {}, 'late'])]);
  for (const name of ['early', 'late']) b.ctx.tools.register(tool(name));
  let waits = false;
  b.ctx.tools.register(
    tool('ask', async (_args, exec) => {
      const { session } = exec.agent!;
      session.append('human/asked', { turn: 1, request: 'q_1', kind: 'question', callId: exec.callId });
      waits = true;
      return new Promise(() => {});
    }),
  );
  change(b);
  const handle = await b.create();
  handle.agent.send(text('go'));
  while (!waits) await settle();
  return handle.agent.session.events;
}

const closed = (events: readonly SessionEvent[]) => [...events, ...interruptedTurnClosers(events)];

describe('session', () => {
  it('B6 a turn that was cut off while it waited for a person is closed as parked, its calls open', async () => {
    const events = closed(await lostWhileWaiting());

    expect(events.slice(-2).map(({ type }) => type)).toEqual(['step/end', 'turn/end']);
    expect(events.at(-1)?.data).toEqual({
      turn: 1,
      reason: { kind: 'parked', waitingFor: { kind: 'question', id: 'q_1' }, callId: 'ask' },
    });
  });

  it('B6 B5 another process goes on with the answer: the waiting call gets it, the later one runs', async () => {
    const events = closed(await lostWhileWaiting());
    const b = await bench([says('done')]);
    const ran: string[] = [];
    for (const name of ['early', 'ask', 'late'])
      b.ctx.tools.register(tool(name, async () => (ran.push(name), text(name))));
    const handle = await b.create({ sessionId: SessionId('moved'), seed: events });

    handle.resumeParked({
      trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
      settle: () => ({ kind: 'result', content: text('because') }),
    });
    await handle.agent.whenIdle();

    expect(ran).toEqual(['late']);
    expect(eventsOf(handle.agent.session, 'tool/result').map(({ data }) => data.callId)).toEqual([
      'early',
      'ask',
      'late',
    ]);
    expect(ends(handle.agent.session).at(-1)).toEqual({ kind: 'completed' });
  });

  it('B6 a turn that was to go on with the answer, and was cut off before the log held it, still waits for it', async () => {
    const parked = closed(await lostWhileWaiting());
    const opened = extra(parked, 'turn/start', { turn: 2, trigger: { kind: 'github-answer', request: 'q_1' } });
    const events = closed([...parked, opened]);

    expect(events.slice(-2).map(({ type, data }) => [type, data])).toEqual([
      ['turn/start', opened.data],
      ['turn/end', { turn: 2, reason: { kind: 'parked', waitingFor: { kind: 'question', id: 'q_1' }, callId: 'ask' } }],
    ]);
    const b = await bench([says('done')]);
    for (const name of ['early', 'ask', 'late']) b.ctx.tools.register(tool(name));
    const handle = await b.create({ sessionId: SessionId('moved'), seed: events });
    handle.resumeParked({
      trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
      settle: () => ({ kind: 'result', content: text('because') }),
    });
    await handle.agent.whenIdle();
    expect(eventsOf(handle.agent.session, 'tool/result').at(-2)?.data).toMatchObject({
      ...{ turn: 3, callId: 'ask', content: text('because') },
    });
  });

  it('B6 one that had logged the answer waits no more', async () => {
    const parked = closed(await lostWhileWaiting());
    const opened = extra(parked, 'turn/start', { turn: 2, trigger: { kind: 'github-answer', request: 'q_1' } });
    const begun = [...parked, opened];
    const events = closed([...begun, extra(begun, 'human/answer', { turn: 2, request: 'q_1', how: 'box', at: 0 })]);

    expect(events.at(-1)?.data).toEqual({ turn: 2, reason: { kind: 'interrupted' } });
  });

  it.each<[string, (events: SessionEvent[]) => SessionEvent[]]>([
    [
      'it was answered already',
      (events) => [...events, extra(events, 'human/answer', { turn: 1, request: 'q_1', how: 'box', at: 0 })],
    ],
    [
      'it was asked in an earlier turn',
      (events) =>
        events.map((event) =>
          event.type === 'human/asked' ? ({ ...event, data: { ...event.data, turn: 0 } } as SessionEvent) : event,
        ),
    ],
    [
      'its call is not open',
      (events) =>
        events.map((event) =>
          event.type === 'human/asked'
            ? ({ ...event, data: { ...event.data, callId: CallId('early') } } as SessionEvent)
            : event,
        ),
    ],
    [
      'a publication asks in the middle of a step',
      (events) =>
        events.map((event) =>
          event.type === 'human/asked'
            ? ({ ...event, data: { turn: 1, request: 'q_1', kind: 'approval' } } as SessionEvent)
            : event,
        ),
    ],
  ])('B6 it is closed as interrupted where %s', async (_case, change) => {
    const events = closed(change([...(await lostWhileWaiting())]));

    expect(events.at(-1)?.data).toEqual({ turn: 1, reason: { kind: 'interrupted' } });
  });
});

function extra(events: readonly SessionEvent[], type: string, data: object): SessionEvent {
  return { type, seq: events.length, time: 0, data } as unknown as SessionEvent;
}
