import { describe, expect, it, jest } from '@jest/globals';
import type { ToolExecutionInput } from '../../../src/harness/tools/types.ts';
import { calls, callsAll, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

const SAFE = { isConcurrencySafe: () => true };

/** Tools whose bodies begin and end by hand. */
function gated(b: Bench, names: string[], extra: (name: string) => object = () => SAFE) {
  const order: string[] = [];
  const gates = new Map(names.map((name) => [name, gate()]));
  for (const name of names) {
    const run = async () => {
      order.push(`+${name}`);
      await gates.get(name)!.promise;
      order.push(`-${name}`);
      return text(`${name} done`);
    };
    b.ctx.tools.register(tool(name, run, extra(name)));
  }
  const open = async (name: string) => {
    gates.get(name)!.resolve();
    await settle();
  };
  return { order, open };
}

function callNames(session: Parameters<typeof eventsOf>[0]): string[] {
  return session.events.flatMap(({ type, data }) => {
    if (type === 'tool/call') return [`call ${data.callId}`];
    return type === 'tool/result' ? [`result ${data.callId}`] : [];
  });
}

describe('tools', () => {
  it("T24 parallel calls form a rolling pool, in the model's order", async () => {
    const b = await bench([callsAll(['a'], ['b'], ['c'], ['d']), says('ok')], { maxParallelToolCalls: 2 });
    const { order, open } = gated(b, ['a', 'b', 'c', 'd']);
    const { agent } = await b.create();
    agent.send(text('go'));
    await settle();

    expect(order).toEqual(['+a', '+b']);
    await open('b');
    expect(order).toEqual(['+a', '+b', '-b', '+c']);
    await open('a');
    expect(order).toEqual(['+a', '+b', '-b', '+c', '-a', '+d']);
    await open('d');
    await open('c');
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('T24 an exclusive call starts after the pool has drained and is alone until its result is logged', async () => {
    const b = await bench([callsAll(['a'], ['b'], ['x'], ['c']), says('ok')]);
    const { order, open } = gated(b, ['a', 'b', 'x', 'c'], (name) => (name === 'x' ? {} : SAFE));
    const committed = gate();
    b.ctx.on('tools/post-execute', async (exec, _result, next) => {
      if (exec.name === 'x') await committed.promise;
      return next();
    });
    const { agent } = await b.create();
    agent.send(text('go'));
    await settle();
    await open('b');
    expect(order).toEqual(['+a', '+b', '-b']);
    await open('a');
    expect(order.at(-1)).toBe('+x');
    await open('x');
    expect(order.at(-1)).toBe('-x');
    committed.resolve();
    await settle();
    expect(order.at(-1)).toBe('+c');
    await open('c');
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('T24 nothing starts before the reply is complete and recorded', async () => {
    const b = await bench([calls('a'), says('ok')]);
    const { agent } = await b.create();
    b.ctx.tools.register(
      tool('a', async () => {
        expect(typesOf(agent.session).slice(-2)).toEqual(['assistant/message', 'tool/call']);
        return text('ok');
      }),
    );

    agent.send(text('go'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'tool/result')[0]!.data.isError).toBe(false);
  });

  it('T25 a call is classified again right before it starts; one that runs keeps its mode', async () => {
    const b = await bench([callsAll(['a'], ['b'], ['c']), says('ok')], { maxParallelToolCalls: 2 });
    let safe = true;
    const { order, open } = gated(b, ['a', 'b', 'c'], () => ({ isConcurrencySafe: () => safe }));
    const { agent } = await b.create();
    agent.send(text('go'));
    await settle();
    expect(order).toEqual(['+a', '+b']);

    safe = false;
    await open('a');
    expect(order).toEqual(['+a', '+b', '-a']);
    await open('b');
    expect(order).toEqual(['+a', '+b', '-a', '-b', '+c']);
    await open('c');
    await agent.whenIdle();
  });

  it("T26 T27 only bodies overlap: everything else is in the model's order, however they settle", async () => {
    const b = await bench([callsAll(['a', {}, 'id-a'], ['b', {}, 'id-b'], ['c', {}, 'id-c']), says('ok')]);
    const { open } = gated(b, ['a', 'b', 'c']);
    const lane: string[] = [];
    b.ctx.on('tools/pre-execute', async (exec, next) => {
      lane.push(`pre ${exec.name}`);
      await settle();
      lane.push(`/pre ${exec.name}`);
      return next();
    });
    b.ctx.on('tools/post-execute', async (exec, _result, next) => {
      lane.push(`post ${exec.name}`);
      await settle();
      lane.push(`/post ${exec.name}`);
      return next();
    });
    b.ctx.tools.guard((exec) => (lane.push(`guard ${exec.name}`), undefined));
    const { agent } = await b.create();
    agent.send(text('go'));
    while (!lane.includes('guard c')) await settle();
    await open('c');
    await open('b');
    await open('a');
    await agent.whenIdle();

    const stages = ['a', 'b', 'c'].flatMap((name) => [`pre ${name}`, `/pre ${name}`, `guard ${name}`]);
    expect(lane).toEqual([...stages, ...['a', 'b', 'c'].flatMap((name) => [`post ${name}`, `/post ${name}`])]);
    expect(callNames(agent.session)).toEqual([
      'call id-a',
      'call id-b',
      'call id-c',
      'result id-a',
      'result id-b',
      'result id-c',
    ]);
    const seqs = eventsOf(agent.session, 'tool/call').map(({ seq }) => [seq]);
    expect(eventsOf(agent.session, 'tool/result').map(({ sourceEventSeqs }) => sourceEventSeqs)).toEqual(seqs);
  });

  it('T27 a result is logged with error and meta, under the id the model gave', async () => {
    const b = await bench([callsAll(['good', {}, 'one'], ['missing', {}, 'two']), says('ok')]);
    b.ctx.tools.register(tool('good', async () => ({ content: text('fine'), meta: { lines: 3 } })));
    const { agent } = await b.create();

    agent.send(text('go'));
    await agent.whenIdle();

    const [good, missing] = eventsOf(agent.session, 'tool/result').map(({ data }) => data);
    expect(good).toEqual({
      turn: 1,
      step: 1,
      callId: 'one',
      content: text('fine'),
      isError: false,
      meta: { lines: 3 },
    });
    expect(missing).toMatchObject({ callId: 'two', isError: true, error: { code: 'UNKNOWN_TOOL' } });
  });

  it('T20 the log keeps the argument text byte for byte, and the tool gets its value', async () => {
    const b = await bench([callsAll(['a', ''], ['a', '{"x": 1 }'], ['a', '{broken']), says('ok')]);
    const got: unknown[] = [];
    b.ctx.tools.register(tool('a', async (args) => (got.push(args), text('ok'))));
    const { agent } = await b.create();

    agent.send(text('go'));
    await agent.whenIdle();

    expect(eventsOf(agent.session, 'tool/call').map(({ data }) => data.arguments)).toEqual([
      '',
      '{"x": 1 }',
      '{broken',
    ]);
    expect(got).toEqual([{}, { x: 1 }, '{broken']);
  });

  it('T28 contexts of a batch stand after all its results', async () => {
    const b = await bench([callsAll(['a'], ['b']), says('ok')]);
    const source = { kind: 'plugin', plugin: 'p' } as const;
    b.ctx.on('tools/post-execute', async (exec, _result, next) => {
      const decision = await next();
      return { ...decision, additionalContexts: [{ content: text(`about ${exec.name}`), source }] };
    });
    for (const name of ['a', 'b']) b.ctx.tools.register(tool(name, undefined, SAFE));
    const { agent } = await b.create();

    agent.send(text('go'));
    await agent.whenIdle();

    expect(typesOf(agent.session).slice(5, 11)).toEqual([
      'tool/call',
      'tool/call',
      'tool/result',
      'tool/result',
      'context/message',
      'context/message',
    ]);
    expect(eventsOf(agent.session, 'context/message').map(({ data }) => data.content)).toEqual([
      text('about a'),
      text('about b'),
    ]);
  });

  it('T29 an abort starts nothing more, waits for what runs, and answers the rest', async () => {
    const b = await bench([callsAll(['a', {}, '1'], ['b', {}, '2'], ['x', {}, '3'], ['c', {}, '4'])]);
    const { order, open } = gated(b, ['a', 'b', 'x', 'c'], (name) => (name === 'x' ? {} : SAFE));
    const { agent } = await b.create();
    agent.send(text('go'));
    await settle();

    agent.cancel();
    await settle();
    expect(eventsOf(agent.session, 'turn/end')).toEqual([]);
    await open('b');
    await open('a');
    await agent.whenIdle();

    expect(order).toEqual(['+a', '+b', '-b', '-a']);
    const results = eventsOf(agent.session, 'tool/result').map(({ data }) => data);
    expect(results.map(({ callId, error }) => [callId, error?.code])).toEqual([
      ['1', 'ABORTED'],
      ['2', 'ABORTED'],
      ['3', 'ABORTED_BEFORE_DISPATCH'],
      ['4', 'ABORTED_BEFORE_DISPATCH'],
    ]);
    expect(results[3]).toMatchObject({
      content: text('Error: tool call aborted before dispatch'),
      isError: true,
      error: { name: 'AbortError' },
    });
    expect(eventsOf(agent.session, 'tool/call').map(({ data }) => data.callId)).toEqual(['1', '2', '3', '4']);
  });

  it.each([0, -1, 1.5, Number.NaN, '3' as unknown as number])(
    'T30 a cap of %p fails at load',
    async (maxParallelToolCalls) => {
      await expect(bench([], { maxParallelToolCalls })).rejects.toThrow(/maxParallelToolCalls/);
    },
  );

  it('T31 a fault of the scheduler starts nothing more, waits for bodies, and fails the turn with repaired results', async () => {
    const b = await bench([callsAll(['a', {}, '1'], ['b', {}, '2'], ['c', {}, '3']), says('and now')]);
    const { order, open } = gated(b, ['a', 'b', 'c']);
    const { agent } = await b.create();
    const prepare = b.ctx.tools.prepare;
    const prototype = Object.getPrototypeOf(b.ctx.tools) as { prepare: typeof prepare };
    const broken = jest.spyOn(prototype, 'prepare').mockImplementation(function (
      this: unknown,
      input: ToolExecutionInput,
    ) {
      if (input.name === 'b') throw new Error('a fault inside');
      return prepare.call(this as never, input);
    });
    agent.send(text('go'));
    await settle();

    expect(order).toEqual(['+a']);
    expect(eventsOf(agent.session, 'turn/end')).toEqual([]);
    await open('a');
    await agent.whenIdle();
    broken.mockRestore();

    expect(order).toEqual(['+a', '-a']);
    expect(eventsOf(agent.session, 'tool/result').map(({ data }) => [data.callId, data.error?.code])).toEqual([
      ['1', 'TOOL_OUTCOME_UNKNOWN'],
      ['2', 'TOOL_OUTCOME_UNKNOWN'],
      ['3', 'TOOL_NOT_STARTED'],
    ]);
    expect(eventsOf(agent.session, 'tool/call').map(({ data }) => data.callId)).toEqual(['1', '2']);
    expect(ends(agent.session)).toEqual([{ kind: 'error', step: 1, message: 'a fault inside' }]);
    agent.send(text('again'));
    await agent.whenIdle();
    expect(ends(agent.session).at(-1)).toEqual({ kind: 'completed' });
    expect(b.model.requests[1]!.messages).toHaveLength(6);
  });
});
