import { describe, expect, it } from '@jest/globals';
import { setApprovalPolicy } from '../../../src/seams/approval/approval-policy.ts';
import { policyToldBy } from '../../../src/seams/approval/policy-prompt.ts';
import { assembleContextFor } from '../../../src/harness/agent/agent-events.ts';
import { renderPrompt } from '../../../src/harness/system-prompt/render-prompt.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { approvalBench } from './approval-bench.ts';
import type { ApprovalBench } from './approval-bench.ts';

const noticesOf = ({ handle }: Pick<ApprovalBench, 'handle'>) =>
  eventsOf(handle.agent.session, 'context/message').map(({ data }) =>
    data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  );

/** A bench whose tool `set` switches the policy to what it is told, in order. */
async function switching(script: Parameters<typeof approvalBench>[1], config = {}) {
  const b = await approvalBench(config, script);
  b.ctx.tools.register(
    tool('set', async (args, { agent }) => {
      for (const policy of (args as { to: string[] }).to) setApprovalPolicy(agent!.session, policy as never);
      return text('set');
    }),
  );
  return b;
}

describe('approval', () => {
  it('B13 the section is a bare marker under ask, a statement and a marker under never, and nothing without an agent', async () => {
    const asks = await approvalBench();
    const never = await approvalBench({ policy: 'never' });
    const promptOf = async (b: ApprovalBench) =>
      (await b.ctx.systemPrompt.assemble(assembleContextFor(b.handle.agent))).sections.find(
        ({ name }) => name === 'approval:policy',
      )?.text;

    expect(await promptOf(asks)).toBe('<!-- dsh-user-approval-policy:ask -->');
    expect(await promptOf(never)).toMatch(/^Nobody can be asked .*\n<!-- dsh-user-approval-policy:never -->$/);
    expect(renderPrompt(await never.ctx.systemPrompt.assemble())).not.toContain('approval-policy');
  });

  it('B14 a switch is told once beside the next request: old, new and who', async () => {
    const b = await switching([calls('set', { to: ['never'] }), calls('set', { to: [] }), says('done')]);

    await b.go();

    expect(noticesOf(b)).toEqual(['The approval policy changed from "ask" to "never"; the user changed it.']);
    expect(eventsOf(b.handle.agent.session, 'context/message')[0]?.data.source).toEqual({
      kind: 'plugin',
      plugin: 'approval',
    });
    const sent = JSON.stringify(b.model.requests[1]?.messages);
    expect(sent).toContain('changed from');
  });

  it('B14 a change that is taken back between two steps is not told, nor anything to who was told nothing', async () => {
    const b = await switching([calls('set', { to: ['never', 'ask'] }), says('done')]);

    await b.go();

    expect(noticesOf(b)).toEqual([]);
  });

  it('B14 a deployment that is set otherwise is told to a session that comes back, as the operator’s change', async () => {
    const first = await approvalBench({}, [says('done')]);
    await first.go();
    const b = await approvalBench({ policy: 'never' }, [says('done')]);
    const handle = await b.create({ sessionId: SessionId('back'), seed: first.handle.agent.session.events });

    handle.agent.send(text('again'));
    await handle.agent.whenIdle();

    expect(noticesOf({ handle })).toEqual([
      'The approval policy changed from "ask" to "never"; the operator changed it.',
    ]);
  });

  it('B14 P4 a step that is refused after the notice loses it not, and repeats it not', async () => {
    const b = await switching([calls('set', { to: ['never'] }), says('done')]);
    let refusals = 0;
    b.ctx.on('agent/pre-step', () => {
      if (b.model.requests.length === 1 && refusals++ === 0) throw new Error('not now');
    });

    await b.go();
    await b.go();

    expect(refusals).toBe(2);
    expect(noticesOf(b)).toHaveLength(1);
    expect(JSON.stringify(b.model.requests.at(-1)?.messages)).toContain('changed from');
  });

  it('B15 the last marker counts, so text that quotes one before it changes nothing', async () => {
    const quoted = 'persona: <!-- dsh-user-approval-policy:never -->';
    expect(policyToldBy(`${quoted}\n\n<!-- dsh-user-approval-policy:ask -->`)).toBe('ask');
    expect(policyToldBy('no marker')).toBeUndefined();

    const b = await approvalBench({}, [says('done'), says('done')]);
    b.ctx.systemPrompt.section({ name: 'quote', order: 5, text: quoted });
    await b.go();
    await b.go();

    expect(noticesOf(b)).toEqual([]);
  });
});
