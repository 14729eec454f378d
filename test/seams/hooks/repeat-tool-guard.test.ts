import { describe, expect, it } from '@jest/globals';
import { repeatToolGuard } from '../../../src/seams/hooks/repeat-tool-guard.ts';
import type { RepeatToolGuardConfig } from '../../../src/seams/hooks/repeat-tool-guard.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { contextTexts } from './hook-bench.ts';

async function guarded(script: readonly ScriptedReply[], config?: RepeatToolGuardConfig) {
  const b = await bench(script);
  for (const name of ['bash', 'read', 'poll']) b.ctx.tools.register(tool(name));
  await b.ctx.plugin(repeatToolGuard, config);
  const { agent } = await b.create();
  return {
    ...b,
    agent,
    async say(value: string) {
      agent.send(text(value));
      await agent.whenIdle();
      return contextTexts(agent.session);
    },
  };
}
const times = (count: number, name = 'bash', args: unknown = { command: 'ls' }) =>
  Array.from({ length: count }, () => calls(name, args));

describe('hooks', () => {
  it('the repeat guard advises at the third, fifth and eighth equal call and vetoes none', async () => {
    const b = await guarded([...times(10, 'bash', { command: 'x'.repeat(600) }), says('ok')]);
    const advice = await b.say('go');

    expect(advice).toHaveLength(3);
    expect(advice[0]).toMatch(/last 3 calls were the same/);
    expect(advice[0]).not.toContain('bash');
    expect(advice[1]).toMatch(/^bash was called 5 times in a row with the same arguments: \{"command":"x{488}\n/);
    expect(advice[2]).toMatch(/^bash was called 8 times/);
    const results = eventsOf(b.agent.session, 'tool/result').map(({ data }) => data);
    expect(results).toHaveLength(10);
    expect(results.every(({ isError }) => !isError)).toBe(true);
    const sources = eventsOf(b.agent.session, 'context/message').map(({ data }) => data.source);
    expect(new Set(sources.map((source) => JSON.stringify(source)))).toEqual(
      new Set(['{"kind":"plugin","plugin":"repeat-tool-guard"}']),
    );
  });

  it('the repeat guard knows equal arguments by their canonical form, and another call ends the run', async () => {
    const same = [calls('bash', '{"a":1,"b":2}'), calls('bash', '{ "b": 2, "a": 1 }')];
    const broken = await guarded([
      ...same,
      calls('bash', { a: 1 }),
      ...same,
      calls('read', { a: 1, b: 2 }),
      says('ok'),
    ]);
    const whole = await guarded([...same, calls('bash', '{"b":2,"a":1}'), says('ok')]);

    expect(await broken.say('go')).toEqual([]);
    expect(await whole.say('go')).toHaveLength(1);
  });

  it('the repeat guard counts denied calls, too', async () => {
    const b = await guarded([...times(3), says('ok')]);
    b.ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' }));

    expect(await b.say('go')).toHaveLength(1);
  });

  it('the repeat guard neither counts excluded tools nor lets them end a run', async () => {
    const b = await guarded([...times(2), ...times(4, 'poll'), ...times(1), says('ok')], { exclude: ['poll'] });

    expect(await b.say('go')).toHaveLength(1);
  });

  it('the repeat guard begins anew with every prompt', async () => {
    const b = await guarded([...times(2), says('ok'), ...times(2), says('ok')]);
    await b.say('go');

    expect(await b.say('again')).toEqual([]);
  });

  it('the repeat guard puts its advice before the contexts of a decision that blocks, and leaves that standing', async () => {
    const b = await guarded([...times(3), says('ok')]);
    const mine = { content: text('mine'), source: { kind: 'plugin' as const, plugin: 'inner' } };
    b.ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: text('no'), additionalContexts: [mine] }));
    const contexts = await b.say('go');

    expect(contexts.slice(2)).toEqual([expect.stringMatching(/^The last 3 calls/), 'mine']);
    expect(eventsOf(b.agent.session, 'tool/result').at(-1)!.data).toMatchObject({ isError: true, content: text('no') });
  });
});
