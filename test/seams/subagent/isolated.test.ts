import { describe, expect, it } from '@jest/globals';
import { setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { applyPatchTool } from '../../../src/seams/subagent/apply-patch-tool.ts';
import type { AppliedPatch } from '../../../src/seams/subagent/apply-patch-tool.ts';
import { isolatedSubagents } from '../../../src/seams/subagent/isolated.ts';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { subagentTool } from '../../../src/seams/subagent/subagent-tool.ts';
import type { OpenWorkPlace } from '../../../src/seams/subagent/work-place.ts';
import { CallId, eventsOf, text } from '../../harness/agent/agent-bench.ts';
import { calls, callsAll, fails, hangs, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { codeOf, subagentBench, textOf } from './subagent-bench.ts';

const ID = 'c0ffee'.padEnd(40, '0');
const PATCH = { id: ID, stat: ' a.txt | 1 +', diff: '+a', leftOut: ['big.bin (too-large)'] };
const TASK = { description: 'one part', prompt: 'Write a.txt.' };

/** Children whose trees are told about, and are not there. */
async function isolatedBench(script: readonly ScriptedReply[], over: Partial<Awaited<ReturnType<OpenWorkPlace>>> = {}) {
  const b = await subagentBench(script, { limits: { live: 4 } });
  const said: string[] = [];
  const openPlace: OpenWorkPlace = async (parent, child) => {
    said.push(`open ${parent.id}`);
    return {
      create: (options) => parent.ctx.agents.create(options),
      collect: async () => (said.push('collect'), PATCH),
      ...over,
      close: async () => void said.push(`close, agents ${b.ctx.agents.list().filter(({ id }) => id === child).length}`),
    };
  };
  await b.ctx.plugin(isolatedSubagents, { openPlace });
  await b.ctx.plugin(subagentTool, { provider: 'spawn-isolated', enableRunInBackground: false });
  return { ...b, said };
}

describe('subagent', () => {
  describe('a child with a tree of its own', () => {
    it('N2 ends with its text and a patch, which the parent’s log names and its tree does not have', async () => {
      const b = await isolatedBench([calls('subagent', TASK), says('a.txt:1'), says('done')]);
      await b.turn();

      const [result] = eventsOf(b.parent.agent.session, 'tool/result');
      const told = textOf(result!.data.content as never);
      expect(told).toMatch(/^a\.txt:1\n\nIts changes are patch c0ffee0+, and not in your tree yet\./);
      expect(told).toContain('Not in it: big.bin (too-large).');
      expect(told).toMatch(/ a\.txt \| 1 \+\n\n\+a$/);
      expect(result!.data.meta).toMatchObject({ patch: ID });
      expect(eventsOf(b.parent.agent.session, 'subagent/ended')).toMatchObject([{ data: { patch: ID } }]);
      expect(b.said).toEqual(['open parent', 'collect', 'close, agents 0']);
    });

    it('N2 that changed very much shows the beginning of it, and all files', async () => {
      const b = await isolatedBench([calls('subagent', TASK), says('made'), says('done')], {
        collect: async () => ({ ...PATCH, diff: `+${'x'.repeat(500_000)}` }),
      });
      await b.turn();

      const told = textOf(eventsOf(b.parent.agent.session, 'tool/result')[0]!.data.content as never);
      expect(told.length).toBeLessThan(101_000);
      expect(told).toContain(' a.txt | 1 +');
      expect(told).toMatch(/\[cut here: the patch is longer\]$/);
    });

    it('N2 that changed nothing has no patch', async () => {
      const b = await isolatedBench([calls('subagent', TASK), says('nothing to do'), says('done')], {
        collect: async () => undefined,
      });
      await b.turn();

      const [result] = eventsOf(b.parent.agent.session, 'tool/result');
      expect(result!.data.content).toEqual(text('nothing to do'));
    });

    it.each<[string, readonly ScriptedReply[]]>([
      ['fails', [fails('AUTH')]],
      ['is cut off', [hangs()]],
    ])('N2 B14 that %s has no patch, and its place is closed after its agent', async (how, script) => {
      const b = await isolatedBench(script);
      const controller = new AbortController();
      const run = runSubagent(b.ctx, 'spawn-isolated', b.request('x', { signal: controller.signal }), () => {
        if (how === 'is cut off') controller.abort();
      });

      expect((await run).patch).toBeUndefined();
      expect(b.said).toEqual(['open parent', 'close, agents 0']);
    });

    it('N2 B2 B10 that never came to be, or whose patch cannot be read, leaves no place behind', async () => {
      const refused = await isolatedBench([], { create: () => Promise.reject(new Error('no container')) });
      await expect(runSubagent(refused.ctx, 'spawn-isolated', refused.request())).rejects.toThrow('no container');
      expect(refused.said).toEqual(['open parent', 'close, agents 0']);
      expect(refused.told).toEqual([]);

      const controller = new AbortController();
      const late = await isolatedBench([]);
      late.ctx.on('agent/created', () => controller.abort(new Error('stopped')));
      const started = runSubagent(late.ctx, 'spawn-isolated', late.request('x', { signal: controller.signal }));
      await expect(started).rejects.toThrow('stopped');
      expect(late.said.at(-1)).toBe('close, agents 0');

      const broken = await isolatedBench([says('x')], { collect: () => Promise.reject(new Error('disk')) });
      await expect(runSubagent(broken.ctx, 'spawn-isolated', broken.request())).rejects.toThrow('disk');
      expect(broken.said).toEqual(['open parent', 'close, agents 0']);
      expect(broken.told.map(([name]) => name)).toEqual(['start', 'end']);
    });

    it('N2 N5 B16 works beside others of the same reply, four at most', async () => {
      const five = Array.from({ length: 5 }, () => ['subagent', TASK] as [string, unknown]);
      const b = await isolatedBench([
        callsAll(...five),
        ...Array.from({ length: 4 }, () => says('made')),
        says('done'),
      ]);
      await b.turn();

      expect(b.told.map(([name]) => name).join(' ')).toMatch(/^(start ){4}/);
      const results = eventsOf(b.parent.agent.session, 'tool/result').map(({ data }) => data.isError);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(b.said.filter((line) => line.startsWith('close'))).toHaveLength(4);
    });
  });

  describe('taking a patch over', () => {
    async function patched(outcome: AppliedPatch) {
      const b = await isolatedBench([calls('subagent', TASK), says('made'), says('done')]);
      const applied: string[] = [];
      const apply = async (id: string) => (applied.push(id), outcome);
      await b.ctx.plugin(applyPatchTool, { apply });
      await b.turn();
      const { agent } = b.parent;
      const { signal } = new AbortController();
      const call = (patch: string) =>
        b.ctx.tools.execute({ callId: CallId('c'), name: 'apply_subagent_patch', arguments: { patch }, agent, signal });
      return { ...b, call, applied };
    }

    it('N2 is a step of its own, for what a child of this session made, by its id or the beginning of it', async () => {
      const b = await patched({ kind: 'applied', paths: ['a.txt'] });

      expect(await b.call('c0ffee00')).toMatchObject({
        isError: false,
        content: text(`Patch ${ID} is in the tree: a.txt.`),
      });
      expect(await b.call('c0ffe')).toMatchObject({ isError: true, error: { code: 'NO_PATCH' } });
      expect(await b.call('f'.repeat(40))).toMatchObject({ isError: true, error: { code: 'NO_PATCH' } });
      expect(b.applied).toEqual([ID]);
      expect(b.ctx.tools.executionMode({ name: 'apply_subagent_patch', arguments: {} }).kind).toBe('exclusive');
    });

    it.each<[AppliedPatch, string]>([
      [{ kind: 'conflict', paths: ['a.txt', 'b.txt'] }, 'conflicts with the tree in a.txt, b.txt; nothing was changed'],
      [{ kind: 'missing' }, 'is gone with the tree'],
    ])('N2 %j is an error that says so', async (outcome, words) => {
      const b = await patched(outcome);
      const told = await b.call(ID);

      expect(told).toMatchObject({ isError: true });
      expect(JSON.stringify(told.content)).toContain(words);
    });

    it('N2 P4 is refused where the session may only read', async () => {
      const b = await patched({ kind: 'nothing' });
      b.ctx.on('agent/prompt-submit', async ({ session }, _content, _source, _signal, next) => {
        setSandboxMode(session, 'read-only');
        return next();
      });
      b.model.add(says('ok'));
      await b.turn();

      expect(await b.call(ID)).toMatchObject({ isError: true, error: { code: 'SANDBOX_DENIED' } });
      expect(b.applied).toEqual([]);
    });

    it('N2 B18 needs an agent', async () => {
      const b = await patched({ kind: 'nothing' });
      const { signal } = new AbortController();
      const call = { callId: CallId('c'), name: 'apply_subagent_patch', arguments: { patch: ID }, signal };

      expect(await b.ctx.tools.execute(call)).toMatchObject({ isError: true, error: { code: 'NO_AGENT' } });
      expect(await codeOf(b.ctx.subagents.start('none', b.request()))).toBe('NO_PROVIDER');
    });
  });
});
