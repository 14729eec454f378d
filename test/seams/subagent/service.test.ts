import { describe, expect, it } from '@jest/globals';
import type { StructuredOutputSchema } from '../../../src/harness/tools/output-schema.ts';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { gate, settle, text } from '../../harness/agent/agent-bench.ts';
import { hangs, says } from '../../support/scripted-model.ts';
import { codeOf, remoteProvider, subagentBench, textOf } from './subagent-bench.ts';

describe('subagent', () => {
  describe('the service', () => {
    it('B1 refuses a provider nobody registered, and a second one of the same name', async () => {
      const { ctx, request } = await subagentBench();

      expect(ctx.subagents.list()).toEqual(['spawn', 'fork']);
      expect(await codeOf(ctx.subagents.start('nobody', request()))).toBe('NO_PROVIDER');
      expect(await codeOf(() => ctx.subagents.registerProvider(remoteProvider('spawn')))).toBe('DUPLICATE_PROVIDER');
      expect(ctx.subagents.getProvider('spawn')!.capabilities.persona).toBe(true);
    });

    it.each([
      ['outputSchema', { outputSchema: { type: 'object' } as StructuredOutputSchema }],
      ['maxDepth', { maxDepth: 2 }],
      ['toolFilter', { toolFilter: { allow: ['read'] } }],
      ['persona', { persona: 'a critic' }],
    ])('B1 refuses %s where the provider lacks it, before the provider is asked', async (_name, asked) => {
      const { ctx, request, told } = await subagentBench();
      const far = remoteProvider('far');
      ctx.subagents.registerProvider(far);

      expect(await codeOf(ctx.subagents.start('far', request('x', asked)))).toBe('UNSUPPORTED_CAPABILITY');
      expect(far.starts).toEqual([]);
      expect(told).toEqual([]);
    });

    it('B1 checks depth and schema before the provider is asked, and lists every fault of the schema', async () => {
      const { ctx, request } = await subagentBench();
      const capabilities = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true };
      const far = remoteProvider('far', undefined, { capabilities });
      ctx.subagents.registerProvider(far);
      const outputSchema = { type: 'array', pattern: 'x' } as unknown as StructuredOutputSchema;

      expect(await codeOf(ctx.subagents.start('far', request('x', { maxDepth: -1 })))).toBe('INVALID_DEPTH');
      const refusal = ctx.subagents.start('far', request('x', { outputSchema }));
      await expect(refusal).rejects.toMatchObject({
        code: 'UNSUPPORTED_SCHEMA',
        violations: [expect.stringContaining('type'), expect.stringContaining('pattern')],
      });
      expect(far.starts).toEqual([]);
    });

    it('B2 tells nothing of a child that never came to be, and does not count it', async () => {
      const { ctx, request, told } = await subagentBench([], { limits: { live: 1 } });
      const fails = async () => Promise.reject(new Error('no room'));
      ctx.subagents.registerProvider(remoteProvider('far', undefined, { start: fails }));

      for (let i = 0; i < 3; i++) await expect(ctx.subagents.start('far', request())).rejects.toThrow('no room');
      expect(told).toEqual([]);
    });

    it('B2 fulfils with a child that others can find already', async () => {
      const { ctx, request } = await subagentBench([says('found')]);
      const run = await ctx.subagents.start('spawn', request());

      expect(ctx.agents.get(run.id)).toBe(run.localAgent);
      expect(ctx.sessions.get(run.id)).toBe(run.localAgent!.session);
      await run.dispose();
    });

    it('B3 resolves for a child that failed, rejects for a broken machine, and disposes on both paths', async () => {
      const { ctx, request } = await subagentBench([]);
      const broken = remoteProvider('far', Promise.reject(new Error('pipe broke')));
      ctx.subagents.registerProvider(broken);

      expect(await runSubagent(ctx, 'spawn', request())).toMatchObject({ stopReason: 'error', output: [] });
      expect(ctx.agents.list().map(({ id }) => id)).toEqual(['parent']);
      await expect(runSubagent(ctx, 'far', request())).rejects.toThrow('pipe broke');
      expect(broken.disposals).toEqual(['far']);
    });

    it('B4 shows a remote run by its own id and without an agent', async () => {
      const { ctx, request, told } = await subagentBench();
      ctx.subagents.registerProvider(remoteProvider('far'));
      const run = await ctx.subagents.start('far', request());
      await run.result;
      await settle();

      expect(run).toMatchObject({ id: 'far-1', localAgent: undefined });
      expect(told.map(([name, info]) => [name, info.local, info.id])).toEqual([
        ['start', false, 'far-1'],
        ['end', false, 'far-1'],
      ]);
    });

    it('B11 refuses new children of a provider that left, while those at work go on', async () => {
      const { ctx, request } = await subagentBench([]);
      const done = gate<{ output: ReturnType<typeof text>; stopReason: 'completed' }>();
      const leave = ctx.subagents.registerProvider(remoteProvider('far', done.promise));
      const removed: string[] = [];
      ctx.on('subagent/provider-removed', (name) => void removed.push(name));
      const run = await ctx.subagents.start('far', request());
      await leave();

      expect(removed).toEqual(['far']);
      expect(await codeOf(ctx.subagents.start('far', request()))).toBe('NO_PROVIDER');
      done.resolve({ output: text('still here'), stopReason: 'completed' });
      expect(textOf((await run.result).output)).toBe('still here');
    });

    it('B18 shows what a provider cannot do by leaving it out', async () => {
      const { ctx, request } = await subagentBench([says('x')]);
      const run = await ctx.subagents.start('spawn', request());

      expect('sendMessage' in run).toBe(false);
      expect('resume' in run).toBe(false);
      await run.dispose();
    });
  });

  describe('its events', () => {
    it('B2 P1 come as pairs with a run id of their own, start before end, to the parent that delegates', async () => {
      const { ctx, request, told, parent, create } = await subagentBench([says('one'), says('two')]);
      const other = await create();
      const heard: string[] = [];
      parent.agent.ctx.on('subagent/start', ({ id }) => void heard.push(id));
      other.agent.ctx.on('subagent/start', () => void heard.push('wrong'));
      await runSubagent(ctx, 'spawn', request('a', { label: 'first look' }));
      await runSubagent(ctx, 'spawn', request('b'));

      const [s1, e1, s2, e2] = told;
      expect(told.map(([name]) => name)).toEqual(['start', 'end', 'start', 'end']);
      expect(s1![1].runId).toBe(e1![1].runId);
      expect(s2![1].runId).toBe(e2![1].runId);
      expect(s1![1].runId).not.toBe(s2![1].runId);
      expect(s1![1]).toMatchObject({ provider: 'spawn', local: true, label: 'first look' });
      expect(e1![1]).toMatchObject({ stopReason: 'completed', lastAssistantMessage: text('one') });
      expect(heard).toEqual([s1![1].id, s2![1].id]);
    });

    it('B2 end with an error and without a message where the result is rejected', async () => {
      const { ctx, request, told } = await subagentBench();
      ctx.subagents.registerProvider(remoteProvider('far', Promise.reject(new Error('gone'))));
      await expect(runSubagent(ctx, 'far', request())).rejects.toThrow('gone');

      expect(told.at(-1)![1]).toMatchObject({ stopReason: 'error' });
      expect(told.at(-1)![1]).not.toHaveProperty('lastAssistantMessage');
    });

    it('B2 contain what their listeners throw, but a provider that somebody refuses is taken back', async () => {
      const { ctx, request, errors } = await subagentBench([says('fine')]);
      ctx.on('subagent/start', () => {
        throw new Error('sync');
      });
      ctx.on('subagent/end', (async () => {
        throw new Error('async');
      }) as never);
      expect(await runSubagent(ctx, 'spawn', request())).toMatchObject({ stopReason: 'completed' });
      await settle();
      expect(errors.map((error) => (error as Error).message)).toEqual(['sync', 'async']);

      ctx.on('subagent/provider-added', () => {
        throw new Error('not that one');
      });
      expect(() => ctx.subagents.registerProvider(remoteProvider('far'))).toThrow('not that one');
      expect(ctx.subagents.list()).toEqual(['spawn', 'fork']);
    });
  });

  describe('limits', () => {
    it('N5 bound the children alive at once', async () => {
      const { ctx, request } = await subagentBench([hangs(), says('b')], { limits: { live: 1 } });
      const first = await ctx.subagents.start('spawn', request());
      await settle();

      expect(await codeOf(ctx.subagents.start('spawn', request()))).toBe('TOO_MANY_SUBAGENTS');
      await first.dispose();
      await runSubagent(ctx, 'spawn', request());
    });

    it('N5 bound the children of one turn, and a new turn counts anew', async () => {
      const b = await subagentBench([says('a'), says('b'), says('parent'), says('c')], { limits: { perTurn: 2 } });
      await runSubagent(b.ctx, 'spawn', b.request());
      await runSubagent(b.ctx, 'spawn', b.request());

      expect(await codeOf(b.ctx.subagents.start('spawn', b.request()))).toBe('TOO_MANY_SUBAGENTS');
      await b.turn();
      expect(await runSubagent(b.ctx, 'spawn', b.request())).toMatchObject({ stopReason: 'completed' });
    });
  });
});
