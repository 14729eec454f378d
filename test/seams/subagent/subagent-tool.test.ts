import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../../src/harness/kernel/context.ts';
import { subagentTool } from '../../../src/seams/subagent/subagent-tool.ts';
import type { SubagentToolConfig } from '../../../src/seams/subagent/subagent-tool.ts';
import type { SubagentResult } from '../../../src/seams/subagent/types.ts';
import { CallId, eventsOf, gate, settle, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import { codeOf, promptsOf, remoteProvider, subagentBench } from './subagent-bench.ts';
import type { SubagentBench } from './subagent-bench.ts';

const TASK = { description: 'find the cause', prompt: 'Where is the total computed?' };

async function withTool(
  script: Parameters<typeof subagentBench>[0] = [],
  config: Partial<SubagentToolConfig> = {},
): Promise<SubagentBench> {
  const b = await subagentBench(script);
  await b.ctx.plugin(subagentTool, { provider: 'spawn', ...config });
  return b;
}

function call(b: SubagentBench, args: unknown, signal = new AbortController().signal) {
  const { agent } = b.parent;
  return b.ctx.tools.execute({ callId: CallId('c'), name: 'subagent', arguments: args, agent, signal });
}

interface TaskSpec {
  kind: string;
  label: string;
  owner: unknown;
  run(): { cancel(): void; done: Promise<unknown> };
}

/** A task runtime that keeps what it was given. */
function provideTasks(ctx: Context) {
  const specs: TaskSpec[] = [];
  const start = (spec: TaskSpec) => `subagent-${specs.push(spec)}`;
  ctx.provide('tasks' as never, { start } as never);
  return specs;
}

describe('subagent', () => {
  describe('the tool', () => {
    it('B14 gives the child’s last text and where it worked', async () => {
      const b = await withTool([says('in total.ts:4')]);
      const result = await call(b, TASK);

      expect(result).toMatchObject({ isError: false, content: text('in total.ts:4') });
      expect(result.meta).toEqual({ session: b.told[0]![1].id });
      expect(b.told[0]![1].label).toBe('find the cause');
      expect(b.ctx.agents.list().map(({ id }) => id)).toEqual(['parent']);
    });

    it.each(['error', 'max-tokens', 'refusal', 'odd'] as const)(
      'B14 makes an error of a child that ended with %s, without its partial words',
      async (stopReason) => {
        const b = await withTool([], { provider: 'far', maxDepth: 'provider-managed' });
        const result = { output: text('SECRET HALF'), stopReason } as SubagentResult;
        b.ctx.subagents.registerProvider(remoteProvider('far', Promise.resolve(result)));
        const told = await call(b, TASK);

        expect(told).toMatchObject({ isError: true, error: { code: 'SUBAGENT_FAILED' } });
        expect(JSON.stringify(told.content)).toContain(stopReason);
        expect(JSON.stringify(told.content)).not.toContain('SECRET HALF');
      },
    );

    it('B14 disposes a child whose machinery failed', async () => {
      const b = await withTool([], { provider: 'far', maxDepth: 'provider-managed' });
      const far = remoteProvider('far', Promise.reject(new Error('pipe broke')));
      b.ctx.subagents.registerProvider(far);

      expect(await call(b, TASK)).toMatchObject({ isError: true });
      expect(far.disposals).toEqual(['far']);
    });

    it('B16 lets no two of its calls overlap, nor any other', async () => {
      const b = await withTool([callsAll(['subagent', TASK], ['subagent', TASK], ['look', {}]), says('a'), says('b')]);
      b.model.add(says('done'));
      b.ctx.tools.register(tool('look', undefined, { isConcurrencySafe: () => true }));
      await b.turn();

      expect(b.told.map(([name]) => name)).toEqual(['start', 'end', 'start', 'end']);
      const types = eventsOf(b.parent.agent.session, 'tool/result').map(({ data }) => data.content);
      expect(types).toEqual([text('a'), text('b'), text('look done')]);
      expect(b.ctx.tools.executionMode({ name: 'subagent', arguments: TASK }).kind).toBe('exclusive');
    });

    it('B17 is there while its provider is', async () => {
      const b = await withTool([], { provider: 'far', maxDepth: 'provider-managed' });
      expect(b.ctx.tools.get('subagent')).toBeUndefined();
      const leave = b.ctx.subagents.registerProvider(remoteProvider('far'));
      expect(b.ctx.tools.get('subagent')).toBeDefined();
      await leave();
      expect(b.ctx.tools.get('subagent')).toBeUndefined();
      b.ctx.subagents.registerProvider(remoteProvider('far'));
      expect(b.ctx.tools.get('subagent')).toBeDefined();
    });

    it('B17 refuses a depth limit its provider cannot keep, when it is mounted', async () => {
      const b = await subagentBench();
      b.ctx.subagents.registerProvider(remoteProvider('far'));
      expect(await codeOf(async () => b.ctx.plugin(subagentTool, { provider: 'far' }))).toBe('INVALID_CONFIG');
      await b.ctx.plugin(subagentTool, { provider: 'late', toolName: 'late' });
      expect(await codeOf(() => b.ctx.subagents.registerProvider(remoteProvider('late')))).toBe('INVALID_CONFIG');
      expect(b.ctx.subagents.list()).not.toContain('late');
    });

    it.each([{}, { allow: [] }, { deny: [] }, { allow: [], deny: [] }])(
      'B17 P6 refuses a filter that names nothing at load: %j',
      async (toolFilter) => {
        const b = await subagentBench();
        const mounting = async () => b.ctx.plugin(subagentTool, { provider: 'spawn', toolFilter });
        expect(await codeOf(mounting)).toBe('INVALID_CONFIG');
      },
    );

    it('B17 P6 without a filter takes no tool away', async () => {
      const b = await withTool([says('x')]);
      b.ctx.tools.register(tool('read'));
      await call(b, TASK);
      expect(b.model.requests[0]!.tools!.map(({ name }) => name)).toEqual(['read', 'subagent']);
    });

    it('B17 with depth 0 forbids every child', async () => {
      const b = await withTool([], { maxDepth: 0 });
      expect(await call(b, TASK)).toMatchObject({ isError: true, error: { code: 'DEPTH_EXCEEDED' } });
    });

    it('B18 needs an agent that calls it', async () => {
      const b = await withTool();
      const { signal } = new AbortController();
      const result = await b.ctx.tools.execute({ callId: CallId('c'), name: 'subagent', arguments: TASK, signal });
      expect(result).toMatchObject({ isError: true, error: { code: 'NO_AGENT' } });
    });

    it('B17 passes on persona, filter, model and depth, and says what the child will know', async () => {
      const b = await withTool([says('x')], {
        persona: 'You look.',
        toolFilter: { allow: ['read'] },
        agentOptions: { model: 'small' },
        maxDepth: 1,
      });
      b.ctx.tools.register(tool('read'));
      await call(b, TASK);

      expect(b.model.requests[0]).toMatchObject({ model: 'small', system: expect.stringContaining('You look.') });
      expect(b.model.requests[0]!.tools!.map(({ name }) => name)).toEqual(['read']);
      expect(b.ctx.tools.get('subagent')!.description).toContain('stand alone');
      await b.ctx.plugin(subagentTool, { provider: 'fork', toolName: 'fork' });
      expect(b.ctx.tools.get('fork')!.description).toContain('has seen the completed turns');
    });

    it('B14 ends its child with the call, and the model hears of it once', async () => {
      const b = await withTool([calls('subagent', TASK), hangs()]);
      const { agent } = b.parent;
      agent.send(text('go'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      agent.cancel({ kind: 'user' });
      await agent.whenIdle();

      const results = eventsOf(agent.session, 'tool/result');
      expect(results).toHaveLength(1);
      expect(results[0]!.data.isError).toBe(true);
      expect(b.ctx.agents.list()).toHaveLength(1);
      expect(promptsOf(agent.session)).toEqual(['go']);
    });
  });

  describe('a background run', () => {
    const BACKGROUND = { ...TASK, run_in_background: true };

    it('B15 is refused without a task runtime, and where it is switched off', async () => {
      expect(await call(await withTool(), BACKGROUND)).toMatchObject({ error: { code: 'BACKGROUND_UNAVAILABLE' } });
      const off = await withTool([], { enableRunInBackground: false });
      provideTasks(off.ctx);
      expect(await call(off, BACKGROUND)).toMatchObject({ error: { code: 'BACKGROUND_UNAVAILABLE' } });
      expect(off.ctx.tools.get('subagent')!.parameters).not.toHaveProperty('properties.run_in_background');
      expect(off.told).toEqual([]);
    });

    it('B15 starts nothing where the task runtime refuses', async () => {
      const b = await withTool();
      const start = () => {
        throw new Error('too many tasks');
      };
      b.ctx.provide('tasks' as never, { start } as never);
      expect(await call(b, BACKGROUND)).toMatchObject({ isError: true });
      expect(b.told).toEqual([]);
    });

    it('B15 gives its id at once, outlives the call and settles with the text after the child is gone', async () => {
      const b = await withTool([says('found it')]);
      const specs = provideTasks(b.ctx);
      const controller = new AbortController();
      const result = await call(b, BACKGROUND, controller.signal);
      expect(result.content).toEqual(text('started background subagent task subagent-1'));
      expect(specs[0]).toMatchObject({ kind: 'subagent', label: 'find the cause', owner: b.parent.agent });

      const { done } = specs[0]!.run();
      controller.abort();
      expect(await done).toEqual({ status: 'completed', output: 'found it' });
      expect(b.ctx.agents.list()).toHaveLength(1);
    });

    it('B15 can be killed while it starts and while it runs', async () => {
      const b = await withTool([hangs()]);
      const specs = provideTasks(b.ctx);
      await call(b, BACKGROUND);
      await call(b, BACKGROUND);
      const early = specs[0]!.run();
      early.cancel();
      expect(await early.done).toMatchObject({ status: 'killed' });
      const late = specs[1]!.run();
      await settle();
      late.cancel();
      expect(await late.done).toMatchObject({ status: 'killed' });
      expect(b.ctx.agents.list()).toHaveLength(1);
    });

    it('B15 tells other ends with their reason, and keeps every error', async () => {
      const b = await withTool([], { provider: 'far', maxDepth: 'provider-managed' });
      const specs = provideTasks(b.ctx);
      const cut = Promise.resolve<SubagentResult>({ output: text('ha'), stopReason: 'max-tokens' });
      const leave = b.ctx.subagents.registerProvider(remoteProvider('far', cut));
      await call(b, BACKGROUND);
      expect(await specs[0]!.run().done).toEqual({ status: 'failed', detail: 'max-tokens' });
      await leave();

      const broken = gate<SubagentResult>();
      const start = async () => ({
        id: 'far-1' as never,
        localAgent: undefined,
        result: broken.promise,
        dispose: async () => Promise.reject(new Error('could not end it')),
      });
      b.ctx.subagents.registerProvider(remoteProvider('far', undefined, { start }));
      await call(b, BACKGROUND);
      const { done } = specs[1]!.run();
      broken.reject(new Error('pipe broke'));
      expect(await done).toEqual({ status: 'failed', detail: 'pipe broke; could not end it' });
    });
  });
});
