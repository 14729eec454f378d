import { describe, expect, it } from '@jest/globals';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { spawnSubagents } from '../../../src/seams/subagent/spawn.ts';
import { subagents } from '../../../src/seams/subagent/subagent-service.ts';
import { eventsOf, gate, settle, text } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import { answer, contextTexts, group, hookBench, records } from './hook-bench.ts';
import type { HookBenchOptions } from './hook-bench.ts';

async function childBench(
  settings: Record<string, unknown>,
  scripts: Record<string, MemoryScript>,
  script: readonly ScriptedReply[],
  options?: HookBenchOptions,
) {
  const b = await hookBench(settings, scripts, script, options);
  await b.ctx.plugin(subagents, undefined);
  await b.ctx.plugin(spawnSubagents, undefined);
  const { signal } = new AbortController();
  return { ...b, request: { prompt: text('look'), parent: b.agent, signal } };
}

const SETTINGS = {
  SubagentStart: [group('general-purpose', 'tell'), group('reviewer', 'never')],
  SubagentStop: [group(undefined, 'note')],
};
const adds = answer('SubagentStart', { additionalContext: 'mind the gap' });

describe('hooks', () => {
  it('H9 H16 the start of a child may tell it something while it works, as the bridge’s word; its end only observes', async () => {
    const told = gate();
    const b = await childBench(SETTINGS, { tell: adds, note: { exitCode: 2, stderr: 'no' } }, [
      { ...calls('read'), before: () => told.promise },
      says('done'),
    ]);
    const run = await b.ctx.subagents.start('spawn', b.request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    told.resolve();
    const result = await run.result;
    await settle();

    const { session } = run.localAgent!;
    expect(result).toEqual({ output: text('done'), stopReason: 'completed' });
    expect(contextTexts(session)).toEqual(['mind the gap']);
    expect(eventsOf(session, 'context/message')[0]!.data.source).toEqual({ kind: 'plugin', plugin: 'claude-hooks' });
    expect(b.payloads()).toEqual([
      expect.objectContaining({
        hook_event_name: 'SubagentStart',
        session_id: b.agent.id,
        agent_id: run.id,
        agent_type: 'general-purpose',
      }),
      expect.objectContaining({ hook_event_name: 'SubagentStop', agent_id: run.id }),
    ]);
    await run.dispose();
  });

  it('H7 H12 the hooks of children leave no records, tell nothing to one that is gone, and unloading ends them', async () => {
    const b = await childBench({ SubagentStart: SETTINGS.SubagentStart }, { tell: { ...adds, durationMs: 60 } }, [
      says('quick'),
      says('also quick'),
    ]);
    b.agent.send(text('go'));
    await b.agent.whenIdle();
    expect(await runSubagent(b.ctx, 'spawn', b.request)).toMatchObject({ stopReason: 'completed' });
    await b.hooks.dispose();

    expect(records(b.agent.session)).toEqual([]);
    expect(b.errors).toEqual([]);
    expect(b.payloads()).toHaveLength(1);
  });

  it('H14 Codex knows no hooks of children: they are skipped with a warning', async () => {
    const b = await childBench(SETTINGS, {}, [says('done')], { dialect: 'codex' });
    await runSubagent(b.ctx, 'spawn', b.request);

    expect(b.errors.map((error) => (error as Error).message)).toEqual([
      expect.stringContaining('SubagentStart'),
      expect.stringContaining('SubagentStop'),
    ]);
    expect(b.payloads()).toEqual([]);
  });
});
