import { describe, expect, it } from '@jest/globals';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { effectiveApprovalPolicy } from '../../../src/seams/approval/approval-policy.ts';
import { effectiveSandboxMode, setSandboxMode } from '../../../src/seams/sandbox/sandbox-mode.ts';
import { captureSandboxMode } from '../../../src/seams/subagent/capture-sandbox-mode.ts';
import { closeLostChildren } from '../../../src/seams/subagent/close-lost-children.ts';
import { pinApproval } from '../../../src/seams/subagent/pin-approval.ts';
import { runSubagent } from '../../../src/seams/subagent/run-subagent.ts';
import { tool, typesOf } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { subagentBench } from './subagent-bench.ts';

describe('subagent', () => {
  it.each(['read-only', 'workspace-write'] as const)(
    'N1 N4 P4 P5 works under its parent’s mode (%s) as it is when it delegates, and asks nobody',
    async (mode) => {
      const logs: SessionEvent[][] = [];
      const b = await subagentBench([calls('delegate'), says('child'), says('done')], {
        local: { captures: [captureSandboxMode, pinApproval] },
      });
      b.ctx.on('subagent/end', ({ id }) => void logs.push([...b.ctx.sessions.get(id)!.events]));
      b.ctx.tools.register(
        tool('delegate', async (_args, { agent, signal }) => {
          setSandboxMode(agent!.session, mode);
          const running = runSubagent(b.ctx, 'spawn', b.request('look', { signal }));
          setSandboxMode(agent!.session, 'danger-full-access');
          return (await running).output;
        }),
      );
      await b.turn();

      const [log] = logs;
      expect(effectiveSandboxMode(log!)).toBe(mode);
      expect(effectiveApprovalPolicy(log!)).toBe('never');
      const at = (type: string) => log!.findIndex((event) => event.type === type);
      expect(at('sandbox/mode')).toBeLessThan(at('request/header'));
      expect(at('approval/policy')).toBeLessThan(at('request/header'));
    },
  );

  it('N1 without an override leaves the child the deployment’s mode', async () => {
    const b = await subagentBench([says('x')], { local: { captures: [captureSandboxMode] } });
    const run = await b.ctx.subagents.start('spawn', b.request());
    await run.result;
    expect(typesOf(run.localAgent!.session)).not.toContain('sandbox/mode');
    await run.dispose();
  });

  it('N6 closes the logs of children that were at work when their worker was lost, and no other', async () => {
    const started = (runId: string, id: string) =>
      ({
        type: 'subagent/started',
        data: { turn: 1, runId, provider: 'spawn', session: SessionId(id) },
      }) as SessionEvent;
    const ended = { type: 'subagent/ended', data: { turn: 1, runId: 'r1' } } as SessionEvent;
    const loaded: string[] = [];
    const persistence = {
      has: async (id: SessionId) => id !== 'never-stored',
      load: async (id: SessionId) => void loaded.push(id) as never,
    };
    await closeLostChildren(persistence, [
      started('r1', 'a'),
      started('r2', 'b'),
      ended,
      started('r3', 'never-stored'),
    ]);

    expect(loaded).toEqual(['b']);
  });
});
