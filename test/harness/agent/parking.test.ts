import { describe, expect, it } from '@jest/globals';
import type { ParkReport } from '../../../src/harness/agent/parked.ts';
import type { AgentHandle } from '../../../src/harness/agent/types.ts';
import { rebuildRequests } from '../../../src/harness/session/rebuild-request.ts';
import { requestDigest } from '../../../src/harness/session/request-digest.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { callsAll, hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

const SOURCE = { kind: 'plugin', plugin: 'answer' } as const;
const TRIGGER = { kind: 'message', source: SOURCE } as const;
const WAITING = { kind: 'approval', id: 'ap_1' } as const;
const ASKING = CallId('ask');

/** Three calls; `ask` waits in its policy until the turn is parked, unless `granted`. */
async function waiting(script = [says('done')], before: Parameters<typeof callsAll> = [['early', {}, 'early']]) {
  const b = await bench([callsAll(...before, ['ask', { a: 1 }, 'ask'], ['late', {}, 'late']), ...script]);
  const ran: string[] = [];
  const state = { granted: false, waits: 0 };
  for (const name of ['early', 'ask', 'late']) {
    b.ctx.tools.register(
      tool(name, async (args, exec) => {
        ran.push(`${name} ${JSON.stringify(args)}`);
        exec.deferContext({ content: text(`about ${name}`), source: SOURCE });
        return text(`${name} done`);
      }),
    );
  }
  b.ctx.on('tools/pre-execute', async (exec, next) => {
    if (exec.name !== 'ask' || state.granted) return next();
    state.waits += 1;
    await new Promise((resolve) => exec.signal.addEventListener('abort', resolve));
    throw new Error('unwound by parking');
  });
  const handle = await b.create();
  handle.agent.send(text('go'));
  while (state.waits === 0) await settle();
  return { ...b, handle, ran, state };
}

function park(handle: AgentHandle): Promise<ParkReport> {
  return handle.park({ waitingFor: WAITING, callId: ASKING });
}

/** The same session in another process. */
async function elsewhere(events: readonly SessionEvent[], script: Parameters<typeof bench>[0]) {
  const b = await bench(script);
  const ran: string[] = [];
  for (const name of ['early', 'ask', 'late']) {
    b.ctx.tools.register(tool(name, async () => (ran.push(name), text(`${name} done`))));
  }
  const handle = await b.create({ sessionId: SessionId('moved'), seed: events });
  return { ...b, handle, ran };
}

function expectReproducible({ model }: Pick<Bench, 'model'>, handle: AgentHandle, skip = 0): void {
  const digests = [...rebuildRequests(handle.agent.session.events)].slice(skip).map(({ sha256 }) => sha256);
  expect(model.requests.map(requestDigest)).toEqual(digests);
}

describe('session', () => {
  it('B4 S15 a parked turn ends with the waiting call open, earlier ones answered, later ones not begun', async () => {
    const { handle, ran } = await waiting();
    const { session } = handle.agent;

    const report = await park(handle);
    await handle.agent.whenIdle();

    expect(report).toEqual({ parked: true, unstarted: [] });
    expect(ends(session)).toEqual([{ kind: 'parked', waitingFor: WAITING, callId: 'ask' }]);
    expect(eventsOf(session, 'tool/call').map(({ data }) => data.callId)).toEqual(['early', 'ask']);
    expect(eventsOf(session, 'tool/result').map(({ data }) => data.callId)).toEqual(['early']);
    expect(ran).toEqual(['early {}']);
    expect(session.parkedCalls.map(({ id }) => id)).toEqual(['ask', 'late']);
    expect(handle.agent.status).toBe('idle');
  });

  it('B4 contexts of settled calls and injections are kept in context/held', async () => {
    const { handle } = await waiting();
    handle.agent.inject(text('a push'), { source: SOURCE, meta: { sha: 'abc' } });

    await park(handle);

    const { session } = handle.agent;
    expect(typesOf(session).slice(-3)).toEqual(['step/end', 'context/held', 'turn/end']);
    expect(eventsOf(session, 'context/held')[0]!.data).toEqual({
      turn: 1,
      contexts: [
        { content: text('about early'), source: SOURCE },
        { content: text('a push'), source: SOURCE, meta: { sha: 'abc' } },
      ],
    });
    expect(eventsOf(session, 'context/message')).toEqual([]);
  });

  it('B4 parking keeps the inbox: what had not started goes back', async () => {
    const { handle, model } = await waiting();
    handle.agent.send(text('next prompt'), { source: SOURCE, trigger: TRIGGER });
    handle.agent.steer(text('by the way'));

    const { unstarted } = await park(handle);
    await handle.agent.whenIdle();

    expect(unstarted).toEqual([
      { content: text('next prompt'), source: SOURCE, contexts: [], trigger: TRIGGER },
      { content: text('by the way'), source: { kind: 'user' }, contexts: [] },
    ]);
    expect(model.requests).toHaveLength(1);
    expect(ends(handle.agent.session)).toHaveLength(1);
  });

  it('B5 the answering turn logs the decision, runs the call from the log, then the rest, and goes on', async () => {
    const { handle, ran, state, model } = await waiting();
    const { session } = handle.agent;
    await park(handle);
    const askSeq = eventsOf(session, 'tool/call').at(-1)!.seq;
    let told: unknown;

    state.granted = true;
    handle.resumeParked({
      trigger: TRIGGER,
      settle: ({ signal: _signal, ...parked }) => {
        told = parked;
        session.append('todo/write', { todos: [] });
        return { kind: 'run' };
      },
    });
    await handle.agent.whenIdle();

    expect(told).toEqual({
      turn: 2,
      waitingFor: WAITING,
      call: { callId: 'ask', name: 'ask', arguments: '{"a":1}' },
    });
    expect(ran).toEqual(['early {}', 'ask {"a":1}', 'late {}']);
    const from = session.events.findLastIndex(({ type }) => type === 'turn/start');
    expect(typesOf({ events: session.events.slice(from) } as never)).toEqual([
      'turn/start',
      'todo/write',
      'tool/result',
      'tool/call',
      'tool/result',
      'context/message',
      'context/message',
      'context/message',
      'step/start',
      'assistant/message',
      'step/end',
      'turn/end',
    ]);
    const answers = eventsOf(session, 'tool/result').slice(1);
    expect(answers.map(({ data }) => [data.turn, data.step, data.callId, data.content])).toEqual([
      [2, 0, 'ask', text('ask done')],
      [2, 0, 'late', text('late done')],
    ]);
    expect(answers[0]!.sourceEventSeqs).toEqual([askSeq]);
    expect(eventsOf(session, 'context/message').map(({ data }) => data.content)).toEqual([
      text('about early'),
      text('about ask'),
      text('about late'),
    ]);
    expect(eventsOf(session, 'turn/start').at(-1)!.data.trigger).toEqual(TRIGGER);
    expect(eventsOf(session, 'user/message')).toHaveLength(1);
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
    expectReproducible({ model }, handle);
  });

  it('B5 the answer may come in another process, and a refusal is the result', async () => {
    const first = await waiting();
    await park(first.handle);
    await first.handle.dispose();
    const { handle, ran, model } = await elsewhere(first.handle.agent.session.events, [says('fine')]);
    let submitted = false;

    handle.agent.inject(text('while parked'), { source: SOURCE });
    expect(typesOf(handle.agent.session).at(-1)).toBe('turn/end');
    handle.agent.ctx.on('agent/prompt-submit', (_a, _c, _s, _g, next) => ((submitted = true), next()));
    handle.resumeParked({ trigger: TRIGGER, settle: () => ({ kind: 'refuse', reason: 'not on a Friday' }) });
    await handle.agent.whenIdle();

    const { session } = handle.agent;
    expect(ran).toEqual(['late']);
    expect(submitted).toBe(false);
    expect(eventsOf(session, 'tool/result').at(-2)!.data).toEqual({
      turn: 2,
      step: 0,
      callId: 'ask',
      content: text('Error: not on a Friday'),
      isError: true,
    });
    expect(eventsOf(session, 'context/message').map(({ data }) => data.content)).toEqual([
      text('about early'),
      text('while parked'),
    ]);
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
    expectReproducible({ model }, handle, 1);
  });

  it('B5 a question gets the answer as its result, with no tool run', async () => {
    const { handle, ran } = await waiting();
    await park(handle);

    handle.resumeParked({
      trigger: TRIGGER,
      settle: async () => ({ kind: 'result', content: text('blue'), meta: { chosen: 2 } }),
    });
    await handle.agent.whenIdle();

    expect(eventsOf(handle.agent.session, 'tool/result')[1]!.data).toEqual({
      turn: 2,
      step: 0,
      callId: 'ask',
      content: text('blue'),
      isError: false,
      meta: { chosen: 2 },
    });
    expect(ran).toEqual(['early {}', 'late {}']);
  });

  it('B5 no decision is no grant', async () => {
    const { handle, ran, state } = await waiting();
    await park(handle);
    state.granted = true;

    handle.resumeParked({ trigger: TRIGGER, settle: () => undefined });
    await handle.agent.whenIdle();

    expect(ran).toEqual(['early {}', 'late {}']);
    expect(eventsOf(handle.agent.session, 'tool/result')[1]!.data.isError).toBe(true);
  });

  it('B5 the answering turn may park again at a later call', async () => {
    const first = await waiting([says('done')], [['ask', {}, 'ask0']]);
    await first.handle.park({ waitingFor: WAITING, callId: CallId('ask0') });
    first.state.waits = 0;
    first.handle.resumeParked({ trigger: TRIGGER, settle: () => ({ kind: 'refuse', reason: 'no' }) });
    while (first.state.waits === 0) await settle();

    const report = await park(first.handle);
    await first.handle.agent.whenIdle();

    const { session } = first.handle.agent;
    expect(report.parked).toBe(true);
    expect(ends(session).map(({ kind }) => kind)).toEqual(['parked', 'parked']);
    expect(session.parkedCalls.map(({ id }) => id)).toEqual(['ask', 'late']);
    expect(eventsOf(session, 'step/start')).toHaveLength(1);
    first.state.granted = true;
    first.handle.resumeParked({ trigger: TRIGGER, settle: () => ({ kind: 'run' }) });
    await first.handle.agent.whenIdle();
    expect(eventsOf(session, 'tool/result').map(({ data }) => [data.turn, data.callId])).toEqual([
      [2, 'ask0'],
      [3, 'ask'],
      [3, 'late'],
    ]);
    expect(eventsOf(session, 'context/message').map(({ data }) => data.content)).toEqual([
      text('about ask'),
      text('about late'),
    ]);
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
    expectReproducible(first, first.handle);
  });

  it('B5 a prompt instead of the answer withdraws the request: its calls are refused before it enters', async () => {
    const { handle, ran, ctx, model } = await waiting();
    await park(handle);
    const { session } = handle.agent;
    ctx.on('agent/prompt-submit', (_a, _c, _s, _g, next) => {
      session.append('todo/write', { todos: [] });
      return next();
    });

    handle.agent.send(text('something else'));
    await handle.agent.whenIdle();

    const from = session.events.findLastIndex(({ type }) => type === 'turn/start');
    expect(typesOf({ events: session.events.slice(from) } as never).slice(0, 8)).toEqual([
      'turn/start',
      'todo/write',
      'tool/result',
      'tool/call',
      'tool/result',
      'context/message',
      'user/message',
      'step/start',
    ]);
    expect(ran).toEqual(['early {}']);
    expect(
      eventsOf(session, 'tool/result')
        .slice(1)
        .map(({ data }) => [data.step, data.isError]),
    ).toEqual([
      [0, true],
      [0, true],
    ]);
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
    expectReproducible({ model }, handle);
  });

  it.each(['cancel', 'dispose', 'throw'] as const)(
    'B5 B6 when answering ends by %s every call still gets a result',
    async (how) => {
      const { handle, ran } = await waiting();
      await park(handle);

      handle.resumeParked({
        trigger: TRIGGER,
        settle: () => {
          if (how === 'throw') throw new Error('cannot decide');
          if (how === 'cancel') handle.agent.cancel();
          else void handle.dispose();
          return { kind: 'run' };
        },
      });
      await handle.agent.whenIdle();

      const { session } = handle.agent;
      const codes = eventsOf(session, 'tool/result')
        .slice(1)
        .map(({ data }) => data.error?.code);
      const code = how === 'throw' ? 'TOOL_NOT_STARTED' : 'ABORTED_BEFORE_DISPATCH';
      expect(codes).toEqual([code, code]);
      expect(ran).toEqual(['early {}']);
      expect(session.parkedCalls).toEqual([]);
      const kind = { cancel: 'aborted', dispose: 'disposed', throw: 'error' }[how];
      expect(ends(session).at(-1)!.kind).toBe(kind);
    },
  );

  it('B4 a cancel that comes before the parked step is closed wins, and the calls are answered', async () => {
    const { handle, ctx } = await waiting();
    ctx.on('agent/post-step', () => handle.agent.cancel());

    const report = await park(handle);
    await handle.agent.whenIdle();

    const { session } = handle.agent;
    expect(report).toEqual({ parked: false, unstarted: [] });
    expect(ends(session)).toEqual([{ kind: 'aborted' }]);
    expect(eventsOf(session, 'tool/result').map(({ data }) => [data.callId, data.error?.code])).toEqual([
      ['early', undefined],
      ['ask', 'ABORTED_BEFORE_DISPATCH'],
      ['late', 'TOOL_NOT_STARTED'],
    ]);
  });

  it('B4 parking is refused where nothing waits: no turn, no such call, a call that is over, a turn already cut', async () => {
    const { handle, ctx } = await waiting();
    const refused = { parked: false, unstarted: [] };

    expect(await handle.park({ waitingFor: WAITING })).toEqual(refused);
    expect(await handle.park({ waitingFor: WAITING, callId: CallId('early') })).toEqual(refused);
    expect(await handle.park({ waitingFor: WAITING, callId: CallId('nobody') })).toEqual(refused);
    expect(handle.agent.status).toBe('running');
    handle.agent.cancel();
    expect(await park(handle)).toEqual(refused);
    await handle.agent.whenIdle();
    expect(await park(handle)).toEqual(refused);
    expect(ends(handle.agent.session)).toEqual([{ kind: 'aborted' }]);
    expect(() => handle.resumeParked({ trigger: TRIGGER, settle: () => undefined })).toThrow(
      expect.objectContaining({ code: 'NOT_PARKED' }),
    );
    expect(ctx.agents.list()).toHaveLength(1);
  });

  it('B4 a call that others overlap is left open; those that had begun are committed', async () => {
    const b = await bench([callsAll(['ask', {}, 'ask'], ['other', {}, 'other'], ['late', {}, 'late'])], {
      maxParallelToolCalls: 2,
    });
    const safe = { isConcurrencySafe: () => true };
    const other = gate();
    b.ctx.tools.register(
      tool(
        'ask',
        async (_args, { signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw new Error('unwound');
        },
        safe,
      ),
    );
    b.ctx.tools.register(tool('other', async () => (await other.promise, text('other done')), safe));
    b.ctx.tools.register(tool('late', undefined, safe));
    const handle = await b.create();
    handle.agent.send(text('go'));
    while (eventsOf(handle.agent.session, 'tool/call').length < 2) await settle();

    const parked = park(handle);
    other.resolve();
    await parked;

    const { session } = handle.agent;
    expect(eventsOf(session, 'tool/result').map(({ data }) => data.callId)).toEqual(['other']);
    expect(session.parkedCalls.map(({ id }) => id)).toEqual(['ask', 'late']);
    expect(ends(session)[0]).toMatchObject({ kind: 'parked', callId: 'ask' });
  });

  it('B4 S15 when disposal overtakes parking, the call that was set aside is answered as aborted', async () => {
    const b = await bench([callsAll(['ask', {}, 'ask'], ['other', {}, 'other'])]);
    const safe = { isConcurrencySafe: () => true };
    const other = gate();
    const untilAborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
    b.ctx.tools.register(tool('ask', async (_args, { signal }) => (await untilAborted(signal), text('unwound')), safe));
    b.ctx.tools.register(tool('other', async () => (await other.promise, text('other done')), safe));
    const handle = await b.create();
    handle.agent.send(text('go'));
    while (eventsOf(handle.agent.session, 'tool/call').length < 2) await settle();

    const parked = park(handle);
    await settle();
    const disposal = handle.dispose();
    other.resolve();
    await disposal;

    const { session } = handle.agent;
    expect((await parked).parked).toBe(false);
    expect(eventsOf(session, 'tool/result').map(({ data }) => [data.callId, data.error?.code])).toEqual([
      ['other', 'ABORTED'],
      ['ask', 'ABORTED'],
    ]);
    expect(ends(session)).toEqual([{ kind: 'disposed' }]);
  });

  it('B5 the answer goes before prompts that are queued', async () => {
    const { handle, state } = await waiting([says('done'), says('next')]);
    await park(handle);
    state.granted = true;

    handle.agent.send(text('next'));
    handle.resumeParked({ trigger: TRIGGER, settle: () => ({ kind: 'run' }) });
    await handle.agent.whenIdle();

    const { session } = handle.agent;
    expect(ends(session).map(({ kind }) => kind)).toEqual(['parked', 'completed', 'completed']);
    expect(eventsOf(session, 'tool/result').every(({ data }) => !data.isError)).toBe(true);
    expect(eventsOf(session, 'user/message').map(({ data }) => data.content)).toEqual([text('go'), text('next')]);
  });

  it('B4 B5 a publication that asks parks while the turn decides to stop, and goes on with that decision', async () => {
    const b = await bench([says('fixed'), hangs()]);
    const handle = await b.create();
    const { session } = handle.agent;
    let published = 0;
    let granted = false;
    b.ctx.on('agent/turn-continuation', async (_a, _t, _d, signal, next) => {
      const decision = await next();
      if (!granted) {
        void handle.park({ waitingFor: WAITING });
        expect(signal.reason).toEqual({ kind: 'parked' });
        throw new Error('unwound by parking');
      }
      published += 1;
      return decision;
    });
    handle.agent.send(text('go'));
    await handle.agent.whenIdle();
    expect(ends(session)).toEqual([{ kind: 'parked', waitingFor: WAITING }]);
    expect(session.parkedCalls).toEqual([]);
    handle.agent.inject(text('a push'), { source: SOURCE });
    expect(typesOf(session).at(-1)).toBe('turn/end');

    granted = true;
    handle.resumeParked({ trigger: { kind: 'github-answer' } as never, settle: () => undefined });
    await handle.agent.whenIdle();

    expect(published).toBe(1);
    expect(b.model.requests).toHaveLength(1);
    expect(typesOf(session).slice(-3)).toEqual(['turn/start', 'context/message', 'turn/end']);
    expect(ends(session).at(-1)).toEqual({ kind: 'completed' });
  });
});
