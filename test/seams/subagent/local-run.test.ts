import { describe, expect, it } from '@jest/globals';
import { delegationDepthOf } from '../../../src/seams/subagent/delegation-depth.ts';
import { readResult } from '../../../src/seams/subagent/read-result.ts';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { ends, gate, settle, text, tool, typesOf } from '../../harness/agent/agent-bench.ts';
import { calls, fails, hangs, isCut, reply, says } from '../../support/scripted-model.ts';
import { codeOf, promptsOf, subagentBench, textOf } from './subagent-bench.ts';

describe('subagent', () => {
  describe('a local child', () => {
    it('B4 is a session of its own that names its parent, in the same directory', async () => {
      const { ctx, request } = await subagentBench([says('done')]);
      const run = await ctx.subagents.start('spawn', request());
      const { id, session } = run.localAgent!;

      expect(run.id).toBe(id);
      expect(session.header).toMatchObject({ id, parentSession: 'parent', cwd: '/tree', delegationDepth: 1 });
      await run.dispose();
    });

    it('B6 begins with an empty log, its own prompt and the model of its parent', async () => {
      const b = await subagentBench([says('parent here'), says('child here'), says('other')]);
      b.ctx.tools.register(tool('read'));
      b.ctx.tools.register(tool('write'));
      b.parent.agent.ctx.tools.restrict({ allow: ['read'] });
      b.parent.agent.ctx.tools.register(tool('submit_result'));
      b.parent.agent.ctx.systemPrompt.section({ name: 'job', order: 10, text: 'PARENT JOB' });
      await b.turn('fix it');
      await runSubagent(b.ctx, 'spawn', b.request('look around'));
      await runSubagent(b.ctx, 'spawn', b.request('again', { agentOptions: { model: 'm2' } }));

      const [own, child, routed] = b.model.requests;
      expect(own!.system).toContain('PARENT JOB');
      expect(own!.tools!.map(({ name }) => name)).toEqual(['read', 'submit_result']);
      expect(child!.messages.map(({ content }) => textOf(content as never))).toEqual(['look around']);
      expect(child!.system).not.toContain('PARENT JOB');
      expect(child!.tools!.map(({ name }) => name)).toEqual(['read', 'write']);
      expect(child).toMatchObject({ provider: 'test', model: 'm1' });
      expect(routed).toMatchObject({ provider: 'test', model: 'm2' });
    });

    it('B8 shows its persona in place of the deployment’s, and only the tools it may have', async () => {
      const { ctx, request, model } = await subagentBench([calls('write'), says('done')]);
      ctx.tools.register(tool('read'));
      ctx.tools.register(tool('write'));
      const options = { persona: 'You refute.', toolFilter: { allow: ['read'] } };
      const run = await ctx.subagents.start('spawn', request('x', options));
      await run.result;

      expect(model.requests[0]!.system).toContain('You refute.');
      expect(model.requests[0]!.tools!.map(({ name }) => name)).toEqual(['read']);
      const result = run.localAgent!.session.events.find(({ type }) => type === 'tool/result');
      expect(result).toMatchObject({ data: { isError: true, error: { code: 'UNKNOWN_TOOL' } } });
      await run.dispose();
    });

    it('B8 does not come to be where its filter names a tool that is not there', async () => {
      const { ctx, request, told } = await subagentBench();
      const refused = ctx.subagents.start('spawn', request('x', { toolFilter: { allow: ['reed'] } }));

      expect(await codeOf(refused)).toBe('INVALID_RESTRICTION');
      expect(ctx.agents.list().map(({ id }) => id)).toEqual(['parent']);
      expect(ctx.sessions.list().map(({ id }) => id)).toEqual(['parent']);
      expect(told).toEqual([]);
    });
  });

  describe('depth', () => {
    it('B5 is one more than the parent’s, lasts in the header, and a resume cannot lower it', async () => {
      const { ctx, request, create } = await subagentBench([says('x')]);
      const deep = await create({ meta: { delegationDepth: 2 }, agentOptions: { provider: 'test', model: 'm1' } });
      const resumed = { session: deep.agent.session, options: { subagentDepth: 0 } };
      const run = await ctx.subagents.start('spawn', request('x', { parent: deep.agent }));

      expect(delegationDepthOf(resumed)).toBe(2);
      expect(delegationDepthOf({ ...resumed, options: { subagentDepth: 5 } })).toBe(5);
      expect(run.localAgent!.session.header.delegationDepth).toBe(3);
      expect(delegationDepthOf(run.localAgent!)).toBe(3);
      await run.dispose();
    });

    it('B5 N10 stops a child beyond the limit before it exists, also below a parent that was resumed', async () => {
      const { ctx, request, create } = await subagentBench();
      const deep = await create({ meta: { delegationDepth: 1 } });
      const beyond = ctx.subagents.start('spawn', request('x', { parent: deep.agent, maxDepth: 1 }));

      expect(await codeOf(beyond)).toBe('DEPTH_EXCEEDED');
      expect(await codeOf(ctx.subagents.start('spawn', request('x', { maxDepth: 0 })))).toBe('DEPTH_EXCEEDED');
      expect(ctx.agents.list()).toHaveLength(2);
    });

    it.each([
      [-1, 'INVALID_DEPTH'],
      [-0, 'INVALID_DEPTH'],
      [1.5, 'INVALID_DEPTH'],
      [Number.NaN, 'INVALID_DEPTH'],
      ['2' as unknown as number, 'INVALID_DEPTH'],
      [2 ** 53, 'DEPTH_OUT_OF_RANGE'],
    ])('B5 refuses %p as a limit', async (maxDepth, code) => {
      const { ctx, request } = await subagentBench();
      expect(await codeOf(ctx.subagents.start('spawn', request('x', { maxDepth })))).toBe(code);
    });

    it('B5 cannot be counted beyond safe integers', async () => {
      const { ctx, request, create } = await subagentBench();
      const deepest = await create({ meta: { delegationDepth: Number.MAX_SAFE_INTEGER } });
      const parent = deepest.agent;
      expect(await codeOf(ctx.subagents.start('spawn', request('x', { parent })))).toBe('DEPTH_OUT_OF_RANGE');
    });
  });

  describe('a fork', () => {
    it('B7 has seen the completed turns and nothing of the open one', async () => {
      const b = await subagentBench([says('first answer'), calls('delegate'), says('child answer'), says('last')]);
      b.ctx.tools.register(
        tool('delegate', async (_args, { signal }) => {
          const run = await b.ctx.subagents.start('fork', b.request('and now?', { signal }));
          const { output } = await run.result;
          const { header } = run.localAgent!.session;
          await run.dispose();
          return text(`${textOf(output)} after ${header.seedLength}`);
        }),
      );
      await b.turn('first');
      const seedLength = b.parent.agent.session.seq;
      await b.turn('second');

      const childRequest = b.model.requests[2]!;
      expect(childRequest.messages.map(({ content }) => textOf(content as never))).toEqual([
        'first',
        'first answer',
        'and now?',
      ]);
      const result = b.parent.agent.session.events.findLast(({ type }) => type === 'tool/result');
      expect(result).toMatchObject({ data: { content: text(`child answer after ${seedLength}`) } });
    });

    it('B7 begins empty below a parent without a completed turn', async () => {
      const { ctx, request, model } = await subagentBench([says('x')]);
      const run = await ctx.subagents.start('fork', request('look'));
      await run.result;

      expect(run.localAgent!.session.header.seedLength).toBeUndefined();
      expect(model.requests[0]!.messages).toHaveLength(1);
      await run.dispose();
    });

    it('B7 never gives an old message of its parent for an answer', async () => {
      const b = await subagentBench([says('old answer'), fails('BAD_REQUEST')]);
      await b.turn('first');
      const result = await runSubagent(b.ctx, 'fork', b.request('look'));

      expect(result).toEqual({ output: [], stopReason: 'error' });
    });

    it('B7 goes to the model it was asked for, not the one in its seed', async () => {
      const b = await subagentBench([says('old'), says('new')]);
      await b.turn('first');
      await runSubagent(b.ctx, 'fork', b.request('look', { agentOptions: { model: 'm9' } }));

      expect(b.model.requests.map(({ model }) => model)).toEqual(['m1', 'm9']);
    });
  });

  describe('a result', () => {
    it('B9 P2 is the last message that says something, not a last step of mere calls', async () => {
      const { ctx, request } = await subagentBench([
        reply([{ type: 'text', text: 'the answer' }, ...calls('read').chunks.flatMap(blocksOf)], {
          kind: 'tool-calls',
        }),
        says(''),
      ]);
      ctx.tools.register(tool('read'));

      expect(await runSubagent(ctx, 'spawn', request())).toEqual({
        output: text('the answer'),
        stopReason: 'completed',
      });
    });

    it('B9 falls back to what was streamed where no message was logged', async () => {
      const { ctx, request } = await subagentBench([fails('BAD_REQUEST', 'half a sent')]);
      const result = await runSubagent(ctx, 'spawn', request());

      expect(result).toEqual({ output: text('half a sent'), stopReason: 'error' });
    });

    it('B9 tells a reply that was cut from one that was not', async () => {
      const { ctx, request } = await subagentBench([isCut({ type: 'text', text: 'as far as' })]);
      expect(await runSubagent(ctx, 'spawn', request())).toEqual({
        output: text('as far as'),
        stopReason: 'max-tokens',
      });
    });

    it('B9 is not hidden by a later turn without a step', async () => {
      const { ctx, request } = await subagentBench([fails('BAD_REQUEST')]);
      const run = await ctx.subagents.start('spawn', request());
      await run.result;
      const { session } = run.localAgent!;
      session.append('turn/start', { turn: 2, trigger: { kind: 'injection', source: { kind: 'user' } } });
      session.append('turn/end', { turn: 2, reason: { kind: 'completed' } });

      const { events } = session;
      expect(readResult({ events, isCancelled: false, structured: undefined }).stopReason).toBe('error');
      await run.dispose();
    });

    it('B9 of a cancelled child is aborted, but a turn that was complete stays complete', async () => {
      const { ctx, request } = await subagentBench([hangs('thinking'), says('all of it')]);
      const first = new AbortController();
      const run = await ctx.subagents.start('spawn', request('x', { signal: first.signal }));
      await settle();
      first.abort();
      expect(await run.result).toMatchObject({ stopReason: 'aborted' });
      await run.dispose();

      const second = new AbortController();
      const whole = await ctx.subagents.start('spawn', request('x', { signal: second.signal }));
      await whole.localAgent!.whenIdle();
      second.abort();
      expect(await whole.result).toEqual({ output: text('all of it'), stopReason: 'completed' });
      await whole.dispose();
    });

    it('B9 of a child whose prompt was refused is an error', async () => {
      const { ctx, request } = await subagentBench();
      ctx.on('agent/prompt-submit', async () => ({ kind: 'block', reason: 'no' }));
      expect(await runSubagent(ctx, 'spawn', request())).toMatchObject({ stopReason: 'error' });
    });
  });

  describe('cancelling', () => {
    it('B10 before the child exists leaves nothing', async () => {
      const { ctx, request, told } = await subagentBench();
      const signal = AbortSignal.abort(new Error('too late'));

      await expect(ctx.subagents.start('spawn', request('x', { signal }))).rejects.toThrow('too late');
      expect(ctx.agents.list()).toHaveLength(1);
      expect(told).toEqual([]);
    });

    it.each(['setup', 'created', 'session-start', 'after'] as const)(
      'B10 P7 N10 in the start window (%s) leaves nothing',
      async (when) => {
        const controller = new AbortController();
        const abort = () => controller.abort(new Error('stopped'));
        const b = await subagentBench([says('never')], { local: { setUp: () => void (when === 'setup' && abort()) } });
        b.ctx.on('agent/created', () => void (when === 'created' && abort()));
        b.ctx.on('agent/session-start', () => {
          if (when === 'session-start') abort();
          if (when === 'after') queueMicrotask(abort);
        });

        await expect(b.ctx.subagents.start('spawn', b.request('x', { signal: controller.signal }))).rejects.toThrow(
          'stopped',
        );
        await settle();
        expect(b.ctx.agents.list().map(({ id }) => id)).toEqual(['parent']);
        expect(b.ctx.sessions.list().map(({ id }) => id)).toEqual(['parent']);
        expect(b.told).toEqual([]);
        expect(b.model.requests).toEqual([]);
      },
    );

    it('B10 afterwards cancels the child for its parent’s sake', async () => {
      const { ctx, request, told } = await subagentBench([hangs()]);
      const causes: unknown[] = [];
      ctx.on('agent/cancel-requested', (_agent, cause) => void causes.push(cause));
      const controller = new AbortController();
      const run = await ctx.subagents.start('spawn', request('x', { signal: controller.signal }));
      await settle();
      controller.abort();

      expect((await run.result).stopReason).toBe('aborted');
      expect(causes).toEqual([{ kind: 'parent' }]);
      expect(ends(run.localAgent!.session)).toEqual([{ kind: 'aborted' }]);
      expect(told.at(-1)![1]).toMatchObject({ stopReason: 'aborted' });
      await run.dispose();
    });

    it('B11 N7 by disposing waits until the child is quiet, and takes all of it away, once', async () => {
      const { ctx, request } = await subagentBench([calls('work')]);
      const began = gate();
      const stop = gate();
      let running = 0;
      ctx.tools.register(
        tool('work', async (_args, { signal }) => {
          running += 1;
          began.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          await stop.promise;
          running -= 1;
          return text('x');
        }),
      );
      const run = await ctx.subagents.start('spawn', request());
      await began.promise;
      let isGone = false;
      const both = Promise.all([run.dispose(), run.dispose()]).then(() => (isGone = true));
      await settle();
      expect(isGone).toBe(false);
      stop.resolve();
      await both;

      expect(running).toBe(0);
      expect(ctx.agents.get(run.id)).toBeUndefined();
      expect(ctx.sessions.get(run.id)).toBeUndefined();
      expect(run.localAgent!.status).toBe('disposed');
    });

    it('B11 takes a child with its parent', async () => {
      const { ctx, request, parent } = await subagentBench([hangs()]);
      const run = await ctx.subagents.start('spawn', request());
      await settle();
      await parent.dispose();

      expect(run.localAgent!.status).toBe('disposed');
      expect(ctx.agents.list()).toEqual([]);
      expect((await run.result).stopReason).toBe('error');
    });

    it('N10 leaves no session, agent or listener after a hundred children', async () => {
      const { ctx, request, model } = await subagentBench();
      const before = ctx.fiber.state;
      for (let i = 0; i < 100; i++) {
        model.add(says(`answer ${i}`));
        const result = await runSubagent(ctx, 'spawn', request());
        expect(textOf(result.output as never)).toBe(`answer ${i}`);
      }
      let heard = 0;
      ctx.on('kernel/dispatch', ({ name }) => void (name === 'agent/prompt-submit' && (heard += 1)));
      expect(ctx.agents.list()).toHaveLength(1);
      expect(ctx.sessions.list()).toHaveLength(1);
      expect(ctx.fiber.state).toBe(before);
      expect(heard).toBe(0);
    });
  });

  describe('what stands in its log', () => {
    it('P4 is the override of its parent at the moment of delegation, before its first request', async () => {
      const parentModes: string[] = ['narrow'];
      const local = {
        captures: [
          () => {
            const mode = parentModes.at(-1)!;
            return (child: { append: (...args: never[]) => unknown }) =>
              child.append(...(['todo/write', { todos: [{ content: mode, status: 'pending' }] }] as never[]));
          },
        ],
      };
      const { ctx, request } = await subagentBench([says('x')], { local });
      const starting = ctx.subagents.start('spawn', request());
      parentModes.push('wide');
      const run = await starting;
      await run.result;
      const { session } = run.localAgent!;

      expect(typesOf(session).slice(0, 3)).toEqual(['turn/start', 'todo/write', 'user/message']);
      expect(session.eventAt(1)).toMatchObject({ data: { todos: [{ content: 'narrow' }] } });
      expect(promptsOf(session)).toEqual(['look']);
      await run.dispose();
    });

    it('N1 N9 pairs each child in its parent’s log by its run, with what it was paid', async () => {
      const b = await subagentBench([calls('delegate'), says('child'), says('done')]);
      b.ctx.tools.register(
        tool('delegate', async (_args, { signal }) => {
          const result = await runSubagent(b.ctx, 'spawn', b.request('look', { signal, label: 'look around' }));
          return result.output;
        }),
      );
      await b.turn();
      const { events } = b.parent.agent.session;
      const started = events.find(({ type }) => type === 'subagent/started')!;
      const ended = events.find(({ type }) => type === 'subagent/ended')!;

      expect(started.data).toMatchObject({ provider: 'spawn', label: 'look around', session: b.told[0]![1].id });
      expect(ended.data).toMatchObject({
        runId: (started.data as { runId: string }).runId,
        stopReason: 'completed',
        steps: 1,
        spent: [{ provider: 'test', model: 'm1', usage: { inputTokens: 10, outputTokens: 5 } }],
      });
      const at = (type: string) => events.findIndex((event) => event.type === type);
      expect(at('tool/call')).toBeLessThan(at('subagent/started'));
      expect(at('subagent/ended')).toBeLessThan(at('tool/result'));
    });
  });

  it('N7 closes a cancelled parent only after its three children and their tools are quiet, with one notice each', async () => {
    const b = await subagentBench([calls('fan'), calls('work'), calls('work'), calls('work')]);
    let running = 0;
    const all = gate();
    b.ctx.tools.register(
      tool('work', async (_args, { signal }) => {
        running += 1;
        if (running === 3) all.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await settle();
        running -= 1;
        return text('x');
      }),
    );
    b.ctx.tools.register(
      tool('fan', async (_args, { signal }) => {
        const three = [1, 2, 3].map((n) => runSubagent(b.ctx, 'spawn', b.request(`part ${n}`, { signal })));
        return text(`${(await Promise.all(three)).length}`);
      }),
    );
    const { agent } = b.parent;
    agent.send(text('go'));
    await all.promise;
    agent.cancel({ kind: 'user' });
    await agent.whenIdle();

    expect(running).toBe(0);
    expect(b.ctx.agents.list().map(({ id }) => id)).toEqual(['parent']);
    expect(b.told.filter(([name]) => name === 'end').map(([, info]) => info)).toEqual([
      expect.objectContaining({ stopReason: 'aborted' }),
      expect.objectContaining({ stopReason: 'aborted' }),
      expect.objectContaining({ stopReason: 'aborted' }),
    ]);
    const types = typesOf(agent.session);
    expect(types.filter((type) => type === 'subagent/ended')).toHaveLength(3);
    expect(types.lastIndexOf('subagent/ended')).toBeLessThan(types.lastIndexOf('turn/end'));
    expect(ends(agent.session)).toEqual([{ kind: 'aborted' }]);
  });
});

function blocksOf(chunk: { type: string; block?: unknown }) {
  return chunk.type === 'block-end' ? [chunk.block as never] : [];
}
