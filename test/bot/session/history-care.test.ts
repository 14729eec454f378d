import { describe, expect, it } from '@jest/globals';
import { mountHistory } from '../../../src/room/mount-history.ts';
import { DEFAULT_CONFIG } from '../../../src/config/default-config.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import { bench as kernel } from '../../harness/agent/agent-bench.ts';
import { calls, fails, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

/** 5,000 tokens: eight such results are too much even when they are pruned. */
const PAGE = 'a line of the file\n'.repeat(1_050);
const bashes = (count: number): ScriptedReply[] =>
  Array.from({ length: count }, (_, at) => calls('bash', { command: `cat page-${at}`, description: 'look' }));

describe('compaction', () => {
  const bench = useJobBench({ 'src/price.js': 'export const price = 1;\n' });

  const ask = async (script: readonly ScriptedReply[], config: ConfigFile) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'Why is the price 1?', body: 'Hm.' });
    const commands = Object.fromEntries(script.map((_, at) => [`cat page-${at}`, { stdout: PAGE }]));
    return bench.run({ job: 'ask', subject: { kind: 'issue', number }, request: 'Tell me.', script, commands, config });
  };

  it('N2 a room measures, prunes and condenses, by the window of its configuration', async () => {
    const b = await kernel();
    const checkout = { workTree: '', gitDir: '', headSha: '' } as never;

    await mountHistory(b.ctx, { config: DEFAULT_CONFIG, checkout, target: { provider: 'test', model: 'm1' } });

    expect([b.ctx.get('tokenMeter'), b.ctx.get('toolResultPrune'), b.ctx.get('compact')]).not.toContain(undefined);
    expect(DEFAULT_CONFIG.workingWindow).toBe(128_000);
  });

  it('N2 N4 a long job prunes old results first and summarizes last, keeping what must not be lost', async () => {
    const script = [...bashes(8), says('condensed: the price is set by hand'), says('It was set by hand.')];

    const { outcome, events, model, surface } = await ask(script, { workingWindow: 14_000 });

    expect(outcome).toMatchObject({ status: 'completed', summary: 'It was set by hand.' });
    const at = (wanted: string) => events.findIndex(({ type }) => type === wanted);
    const pruned = events.findIndex(
      ({ type, ...event }) => type === 'tool/result' && (event as { surfaceOp?: unknown }).surfaceOp !== 'append',
    );
    expect(pruned).toBeGreaterThan(0);
    expect(at('compact/start')).toBeGreaterThan(pruned);
    const first = JSON.stringify(model.requests.at(-1)!.messages);
    expect(first).toContain('condensed: the price is set by hand');
    expect(first).toMatch(/From the records of the host:[^]*## My request:[^]*Tell me\./);
    expect(surface.body).not.toContain('condensed');
  });

  it('N1 what does not fit at all ends in a clear stop', async () => {
    const { outcome, model } = await ask([fails('CONTEXT_WINDOW_EXCEEDED')], {});

    expect(model.requests).toHaveLength(1);
    expect(outcome).toMatchObject({
      status: 'failed',
      problem: {
        code: 'CONTEXT_WINDOW_EXCEEDED',
        message: expect.stringContaining('does not fit the window'),
        hint: expect.stringContaining('/dsh forget'),
      },
    });
  });

  it('N5 a summary counts against the budget, and none is bought once it is spent', async () => {
    const script = [...bashes(8), says('condensed'), says('It was set by hand.')];
    const windows = { workingWindow: 14_000 };
    const free = await ask(script, windows);
    const summary = free.events.findIndex(({ type }) => type === 'llm/auxiliary');
    const stepsBefore = free.events.slice(0, summary).filter(({ type }) => type === 'step/start').length;
    expect(summary).toBeGreaterThan(0);

    // Ten input and five output tokens a call: the last one before the summary spends it all.
    const spent = await ask(script, { ...windows, budget: { turn: { tokens: 15 * stepsBefore } } });
    expect(spent.outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
    expect(spent.events.some(({ type }) => type === 'llm/auxiliary')).toBe(false);
    const withSummary = await ask(script, { ...windows, budget: { turn: { tokens: 15 * (stepsBefore + 1) } } });
    expect(withSummary.events.filter(({ type }) => type === 'llm/auxiliary')).toHaveLength(1);
    expect(withSummary.events.filter(({ type }) => type === 'step/start')).toHaveLength(stepsBefore);
  });

  describe('prompts', () => {
    it('PR19 where pruning is enough all old results go at once, and no summary is bought', async () => {
      const { outcome, events } = await ask([...bashes(3), says('It was set by hand.')], { workingWindow: 14_000 });

      expect(outcome).toMatchObject({ status: 'completed', summary: 'It was set by hand.' });
      const rewritten = events.filter((event) => event.type === 'tool/result' && event.surfaceOp !== 'append');
      expect(rewritten).toHaveLength(3);
      expect(rewritten.map(({ seq }) => seq)).toEqual([0, 1, 2].map((at) => rewritten[0]!.seq + at));
      expect(events.some(({ type }) => type === 'compact/start')).toBe(false);
    });
  });
});
