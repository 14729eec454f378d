import { describe, expect, it } from '@jest/globals';
import type { StructuredOutputSchema } from '../../../src/harness/tools/output-schema.ts';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { CallId, ends, eventsOf, gate, settle, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import { subagentBench } from './subagent-bench.ts';

const outputSchema: StructuredOutputSchema = {
  type: 'object',
  properties: { refuted: { type: 'boolean' }, why: { type: 'string', description: 'In a sentence.' } },
  required: ['refuted'],
  additionalProperties: false,
};
const VALUE = { refuted: true, why: 'it is caught' };

describe('subagent', () => {
  describe('structured output', () => {
    it('B12 is the value of the accepted call, after which the turn ends', async () => {
      const { ctx, request, model } = await subagentBench([calls('structured_output', VALUE), says('never asked')]);
      const result = await runSubagent(ctx, 'spawn', request('refute', { outputSchema }));

      expect(result).toEqual({ output: [], stopReason: 'completed', structured: VALUE });
      expect(model.requests).toHaveLength(1);
      expect(model.requests[0]!.system).toContain('structured_output');
      expect(model.requests[0]!.tools).toEqual([
        { name: 'structured_output', description: expect.any(String), parameters: outputSchema },
      ]);
    });

    it('B12 sends a value that does not fit back to the model, in the same turn', async () => {
      const { ctx, request } = await subagentBench([
        calls('structured_output', { refuted: 'yes', more: 1 }),
        calls('structured_output', VALUE),
      ]);
      const run = await ctx.subagents.start('spawn', request('refute', { outputSchema }));

      expect(await run.result).toMatchObject({ structured: VALUE, stopReason: 'completed' });
      const [bad] = eventsOf(run.localAgent!.session, 'tool/result');
      expect(bad!.data).toMatchObject({ isError: true, error: { code: 'INVALID_ARGS' } });
      expect(ends(run.localAgent!.session)).toHaveLength(1);
      await run.dispose();
    });

    it('B12 lets earlier calls of the same reply run, and denies later ones', async () => {
      const { ctx, request } = await subagentBench([
        callsAll(['work', {}], ['structured_output', VALUE], ['work', {}], ['structured_output', { refuted: false }]),
      ]);
      let ran = 0;
      ctx.tools.register(tool('work', async () => text(`${(ran += 1)}`)));
      const run = await ctx.subagents.start('spawn', request('refute', { outputSchema }));

      expect((await run.result).structured).toEqual(VALUE);
      expect(ran).toBe(1);
      expect(eventsOf(run.localAgent!.session, 'tool/result').map(({ data }) => data.isError)).toEqual([
        false,
        false,
        true,
        true,
      ]);
      await run.dispose();
    });

    it('B12 P3 N10 does not count where a listener blocks the result after the tool ran', async () => {
      const { ctx, request } = await subagentBench([
        calls('structured_output', { refuted: false }, 'same'),
        calls('structured_output', VALUE, 'same'),
      ]);
      let asked = 0;
      ctx.on('tools/post-execute', async (_exec, _result, next) =>
        (asked += 1) === 1 ? { kind: 'block', feedback: text('once more') } : next(),
      );
      const result = await runSubagent(ctx, 'spawn', request('refute', { outputSchema }));

      expect(asked).toBe(2);
      expect(result.structured).toEqual(VALUE);
    });

    it.each([
      ['succeeds', false, VALUE],
      ['fails', true, undefined],
    ])('B12 from within another call counts only where that one %s', async (_how, outerFails, structured) => {
      const { ctx, request } = await subagentBench([calls('program'), says('done')]);
      ctx.tools.register(
        tool('program', async (_args, { token, agent, signal }) => {
          const inner = { callId: CallId('i1'), name: 'structured_output', arguments: VALUE, parent: token };
          await ctx.tools.execute({ ...inner, agent: agent!, signal });
          if (outerFails) throw new Error('the program failed');
          return text('ok');
        }),
      );
      const result = await runSubagent(ctx, 'spawn', request('refute', { outputSchema }));

      expect(result.structured).toEqual(structured);
      expect(result.stopReason).toBe(outerFails ? 'error' : 'completed');
    });

    it('B13 that never came is an error, without a second prompt, or aborted where the child was cancelled', async () => {
      const { ctx, request, model } = await subagentBench([says('I think it is fine'), hangs()]);
      const result = await runSubagent(ctx, 'spawn', request('refute', { outputSchema }));
      expect(result).toEqual({ output: text('I think it is fine'), stopReason: 'error' });
      expect(model.requests).toHaveLength(1);

      const controller = new AbortController();
      const { signal } = controller;
      const run = await ctx.subagents.start('spawn', request('refute', { outputSchema, signal }));
      await settle();
      controller.abort();
      expect((await run.result).stopReason).toBe('aborted');
      await run.dispose();
    });

    it('B13 belongs to each child alone', async () => {
      const other: StructuredOutputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
      const both = gate();
      const wait = (reply: ReturnType<typeof calls>) => ({ ...reply, before: () => both.promise });
      const { ctx, request, model } = await subagentBench([
        wait(calls('structured_output', VALUE)),
        wait(calls('structured_output', { n: 3 })),
      ]);
      const first = runSubagent(ctx, 'spawn', request('a', { outputSchema }));
      await settle();
      const second = runSubagent(ctx, 'spawn', request('b', { outputSchema: other }));
      await settle();
      both.resolve();

      expect((await first).structured).toEqual(VALUE);
      expect((await second).structured).toEqual({ n: 3 });
      expect(model.requests.map(({ tools }) => tools![0]!.parameters)).toEqual([outputSchema, other]);
      expect(ctx.tools.get('structured_output')).toBeUndefined();
    });
  });
});
