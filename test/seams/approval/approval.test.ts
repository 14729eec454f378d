import { describe, expect, it } from '@jest/globals';
import { approval } from '../../../src/seams/approval/approval.ts';
import { effectiveApprovalPolicy, setApprovalPolicy } from '../../../src/seams/approval/approval-policy.ts';
import { askApproval } from '../../../src/harness/tools/ask-approval.ts';
import type { ApprovalOutcome, ApprovalRequest } from '../../../src/seams/approval/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text, tool, typesOf } from '../../harness/agent/agent-bench.ts';
import { approvalBench, auditOf, channel } from './approval-bench.ts';

function resultText(session: Parameters<typeof eventsOf>[0]): string {
  const blocks = eventsOf(session, 'tool/result')[0]?.data.content ?? [];
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe('approval', () => {
  it.each<[ApprovalOutcome | 'yes', boolean]>([
    ['allowed-once', true],
    ['rejected', false],
    ['cancelled', false],
    ['unavailable', false],
    ['yes', false],
  ])('B1 of the outcomes only allowed-once runs the call: %s', async (answer, runs) => {
    const b = await approvalBench();
    channel(b, answer);

    await b.go();

    expect(b.ran).toEqual(runs ? [{ n: 1 }] : []);
    expect(eventsOf(b.handle.agent.session, 'tool/result')[0]?.data.isError).toBe(!runs);
    expect(ends(b.handle.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('B1 an outcome the pipeline does not know is a denial', async () => {
    const b = await approvalBench();
    const exec = { agent: b.handle.agent, name: 'act', callId: CallId('c'), signal: new AbortController().signal };

    const denial = await askApproval({ request: async () => 'granted' as never }, exec as never, undefined);

    expect(denial).toEqual(expect.stringContaining('go on without it'));
  });

  it('B2 outside an open turn nothing is asked and nothing is logged', async () => {
    const b = await approvalBench();
    const seen = channel(b, 'allowed-once');
    const request = { agent: b.handle.agent, toolName: 'act' };

    await expect(b.ctx.approval.request(request)).rejects.toMatchObject({ code: 'APPROVAL_OUTSIDE_TURN' });
    expect(typesOf(b.handle.agent.session)).toEqual([]);

    await b.go();
    const before = b.handle.agent.session.seq;
    await expect(b.ctx.approval.request(request)).rejects.toMatchObject({ code: 'APPROVAL_OUTSIDE_TURN' });
    expect(b.handle.agent.session.seq).toBe(before);
    expect(seen).toHaveLength(1);
  });

  it('B3 asked, decided with the same id, then the caller goes on; what is absent is left out', async () => {
    const b = await approvalBench();
    const order: string[] = [];
    b.ctx.on('approval/request', (request) => {
      order.push(...auditOf(b).asked.map(({ id }) => `asked ${request.toolName} ${id.slice(0, 3)}`));
      return 'allowed-once';
    });
    b.ctx.tools.register(
      tool('plain', async (_args, exec) => {
        await b.ctx.approval.request({ agent: exec.agent!, toolName: 'plain' });
        return text('ok');
      }),
    );
    b.model.add(calls('plain'), says('done'));

    await b.go();
    await b.go();

    const { asked, decided } = auditOf(b);
    expect(order[0]).toBe('asked act ap_');
    expect(asked[0]).toEqual({ id: decided[0]?.id, toolName: 'act', callId: 'c-act', reason: 'it acts' });
    expect(Object.keys(asked[1]!)).toEqual(['id', 'toolName']);
    expect(decided).toEqual(asked.map(({ id }) => ({ id, outcome: 'allowed-once' })));
    const types = typesOf(b.handle.agent.session);
    expect(types.slice(types.indexOf('tool/call')).slice(0, 4)).toEqual([
      'tool/call',
      'approval/asked',
      'approval/decided',
      'tool/result',
    ]);
  });

  it('B4 a question whose signal is aborted already is cancelled unasked, with both events', async () => {
    const b = await approvalBench({}, [calls('late'), says('done')]);
    const seen = channel(b, 'allowed-once');
    let outcome: ApprovalOutcome | undefined;
    b.ctx.tools.register(
      tool('late', async (_args, { agent }) => {
        const request = { agent: agent!, toolName: 'late', signal: AbortSignal.abort() };
        outcome = await b.ctx.approval.request(request);
        return text('ok');
      }),
    );

    await b.go();

    expect(outcome).toBe('cancelled');
    expect(seen).toEqual([]);
    expect(auditOf(b).outcomes).toEqual(['cancelled']);
  });

  it.each(['late answer', 'late rejection'])(
    'B5 aborted while it waits it is cancelled at once; a %s is dropped',
    async (late) => {
      const b = await approvalBench({}, [calls('wait'), says('done')]);
      const stop = new AbortController();
      const answer = gate<ApprovalOutcome>();
      b.ctx.on('approval/request', () => answer.promise);
      let outcome: ApprovalOutcome | undefined;
      b.ctx.tools.register(
        tool('wait', async (_args, { agent }) => {
          setImmediate(() => stop.abort());
          outcome = await b.ctx.approval.request({ agent: agent!, toolName: 'wait', signal: stop.signal });
          return text('ok');
        }),
      );

      await b.go();
      if (late === 'late answer') answer.resolve('allowed-once');
      else answer.reject(new Error('too late'));
      await settle();

      expect(outcome).toBe('cancelled');
      expect(auditOf(b).outcomes).toEqual(['cancelled']);
    },
  );

  it('B6 N8 under never nobody is asked, whatever is registered first, and the pair is logged', async () => {
    const b = await approvalBench({ policy: 'never' });
    let asked = 0;
    b.ctx.on('approval/request', () => ((asked += 1), 'allowed-once'), { prepend: true, global: true });

    await b.go();

    expect(asked).toBe(0);
    expect(b.ran).toEqual([]);
    expect(auditOf(b).outcomes).toEqual(['rejected']);
  });

  it.each<[string, ((request: ApprovalRequest, next: () => Promise<ApprovalOutcome>) => unknown) | undefined]>([
    ['nobody listens', undefined],
    ['all delegate', (_request, next) => next()],
    [
      'a listener throws',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'a listener rejects',
      async () => {
        throw new Error('broken');
      },
    ],
    ['a listener answers something else', () => 'allowed-always'],
    ['a listener answers nothing', () => undefined],
  ])('B7 unavailable where %s', async (_case, listener) => {
    const b = await approvalBench();
    if (listener) b.ctx.on('approval/request', listener as never);

    await b.go();

    expect(auditOf(b).outcomes).toEqual(['unavailable']);
    expect(b.ran).toEqual([]);
  });

  it('B8 the first listener with an outcome owns it; later ones do not run', async () => {
    const b = await approvalBench();
    const ran: string[] = [];
    b.ctx.on('approval/request', (_request, next) => (ran.push('delegates'), next()));
    b.ctx.on('approval/request', () => (ran.push('owns'), 'rejected'));
    b.ctx.on('approval/request', () => (ran.push('later'), 'allowed-once'));

    await b.go();

    expect(ran).toEqual(['delegates', 'owns']);
    expect(auditOf(b).outcomes).toEqual(['rejected']);
  });

  it('B9 P5 listeners get the very request; those of another agent hear nothing, global ones all', async () => {
    const b = await approvalBench({}, [calls('wait'), says('done')]);
    const other = await b.create();
    const heard: string[] = [];
    let got: unknown;
    other.agent.ctx.on('approval/request', () => (heard.push('other'), 'allowed-once'));
    b.handle.agent.ctx.on('approval/request', (request, next) => ((got = request), heard.push('own'), next()));
    other.agent.ctx.on('approval/request', (_request, next) => (heard.push('global'), next()), { global: true });
    let sent: unknown;
    b.ctx.tools.register(
      tool('wait', async (_args, { agent }) => {
        const request = { agent: agent!, toolName: 'wait' };
        sent = request;
        await b.ctx.approval.request(request);
        return text('ok');
      }),
    );

    await b.go();

    expect(got).toBe(sent);
    expect(heard).toEqual(['own', 'global']);
  });

  it('B10 a decision that cannot be logged is not returned; an observer that fails changes nothing', async () => {
    const b = await approvalBench();
    channel(b, 'allowed-once', 'allowed-once');
    b.ctx.on('session/event', () => {
      throw new Error('observer');
    });
    const refuse = b.ctx.sessions.addValidator((_session, event) => {
      if (event.type === 'approval/decided') throw new Error('disk full');
    });

    await b.go();
    expect(b.ran).toEqual([]);
    expect(resultText(b.handle.agent.session)).toContain('disk full');

    refuse();
    b.model.add(calls('act', { n: 2 }), says('done'));
    await b.go();
    expect(b.ran).toEqual([{ n: 2 }]);
  });

  it('B11 the last policy of the log holds, else the configured one, else ask; a switch counts from the next question', async () => {
    const b = await approvalBench({ policy: 'never' }, [
      calls('act', { n: 1 }),
      calls('switch'),
      calls('act', { n: 2 }),
      says('done'),
    ]);
    channel(b, 'allowed-once');
    b.ctx.tools.register(
      tool('switch', async (_args, { agent }) => {
        setApprovalPolicy(agent!.session, 'ask');
        return text('ok');
      }),
    );
    const { session } = b.handle.agent;
    expect(effectiveApprovalPolicy(session.events)).toBeUndefined();
    expect((await approvalBench()).ctx.approval.policyOf([])).toBe('ask');

    await b.go();

    expect(auditOf(b).outcomes).toEqual(['rejected', 'allowed-once']);
    expect(b.ran).toEqual([{ n: 2 }]);
    expect(effectiveApprovalPolicy(session.events)).toBe('ask');
  });

  it('B12 a policy outside the vocabulary is refused before anything is logged', async () => {
    const b = await approvalBench({}, [calls('switch'), says('done')]);
    b.ctx.tools.register(
      tool('switch', async (_args, { agent }) => {
        setApprovalPolicy(agent!.session, 'always' as never);
        return text('ok');
      }),
    );

    await b.go();

    expect(eventsOf(b.handle.agent.session, 'approval/policy')).toEqual([]);
    expect(eventsOf(b.handle.agent.session, 'tool/result')[0]?.data).toMatchObject({
      error: { code: 'APPROVAL_POLICY_INVALID' },
    });
    await expect(approvalBench({ policy: 'sometimes' as never })).rejects.toMatchObject({
      code: 'APPROVAL_POLICY_INVALID',
    });
  });

  it('B16 without a service, or without an agent, a call that needs a yes does not run', async () => {
    const b = await bench([calls('act'), says('done')]);
    const ran: string[] = [];
    b.ctx.tools.register(tool('act', async () => (ran.push('act'), text('ok'))));
    b.ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    const handle = await b.create();

    handle.agent.send(text('go'));
    await handle.agent.whenIdle();
    expect(resultText(handle.agent.session)).toContain('no approval service');

    await b.ctx.plugin(approval, undefined);
    b.ctx.on('approval/request', () => 'allowed-once');
    const { signal } = new AbortController();
    const result = await b.ctx.tools.execute({ callId: CallId('x'), name: 'act', arguments: {}, signal });
    expect(result.isError).toBe(true);
    expect(ran).toEqual([]);
  });

  it('B16 a guard still denies after a yes', async () => {
    const b = await approvalBench();
    channel(b, 'allowed-once');
    b.ctx.tools.guard(() => 'guarded all the same');

    await b.go();

    expect(auditOf(b).outcomes).toEqual(['allowed-once']);
    expect(b.ran).toEqual([]);
    expect(resultText(b.handle.agent.session)).toContain('guarded all the same');
  });

  it('B20 unloaded, its section and its notices are gone, and a channel that left is not asked', async () => {
    const b = await bench([calls('act'), says('done'), says('done')]);
    const fiber = b.ctx.plugin(approval, undefined);
    await fiber;
    let asked = 0;
    const listens = b.ctx.plugin(function channel(inner) {
      inner.on('approval/request', () => ((asked += 1), 'allowed-once'));
    });
    b.ctx.tools.register(tool('act'));
    b.ctx.on('tools/pre-execute', () => ({ kind: 'ask' }));
    const handle = await b.create();
    await listens.dispose();

    handle.agent.send(text('go'));
    await handle.agent.whenIdle();
    expect(asked).toBe(0);
    expect(auditOf({ handle }).outcomes).toEqual(['unavailable']);
    expect(b.model.requests[0]?.system).toContain('approval-policy:ask');

    await fiber.dispose();
    handle.agent.send(text('again'));
    await handle.agent.whenIdle();
    expect(b.model.requests.at(-1)?.system).not.toContain('approval-policy');
    expect(b.ctx.get('approval')).toBeUndefined();
  });

  it('N5 parked while it waits, the question is not decided and its call stays open', async () => {
    const b = await approvalBench();
    b.ctx.on('approval/request', () => new Promise<ApprovalOutcome>(() => {}));
    b.handle.agent.send(text('go'));
    while (auditOf(b).asked.length === 0) await settle();
    const [{ id } = { id: '' }] = auditOf(b).asked;

    const report = await b.handle.park({ waitingFor: { kind: 'approval', id }, callId: CallId('c-act') });

    expect(report.parked).toBe(true);
    expect(auditOf(b).decided).toEqual([]);
    expect(eventsOf(b.handle.agent.session, 'tool/result')).toEqual([]);
    expect(ends(b.handle.agent.session)).toEqual([
      { kind: 'parked', waitingFor: { kind: 'approval', id }, callId: 'c-act' },
    ]);
  });

  it('N5 N6 A3 the carried yes runs exactly its call, once, without a second question', async () => {
    const b = await approvalBench({}, [
      callsAll(['act', { n: 1 }, 'c-act']),
      calls('act', { n: 2 }, 'c-next'),
      says('done'),
    ]);
    const waits = b.ctx.on('approval/request', () => new Promise<ApprovalOutcome>(() => {}));
    b.handle.agent.send(text('go'));
    while (auditOf(b).asked.length === 0) await settle();
    const [{ id } = { id: '' as never }] = auditOf(b).asked;
    await b.handle.park({ waitingFor: { kind: 'approval', id }, callId: CallId('c-act') });
    await waits();
    const seen = channel(b, 'rejected');

    b.handle.resumeParked({
      trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
      settle: () => {
        b.handle.agent.session.append('approval/decided', { id, outcome: 'allowed-once' });
        return { kind: 'run' };
      },
    });
    await b.handle.agent.whenIdle();

    expect(b.ran).toEqual([{ n: 1 }]);
    expect(seen.map(({ callId }) => callId)).toEqual(['c-next']);
    expect(auditOf(b).outcomes).toEqual(['allowed-once', 'rejected']);
  });

  it('N6 a carried yes does not outlive a policy that now says never', async () => {
    const b = await approvalBench();
    b.ctx.on('approval/request', () => new Promise<ApprovalOutcome>(() => {}));
    b.handle.agent.send(text('go'));
    while (auditOf(b).asked.length === 0) await settle();
    const [{ id } = { id: '' as never }] = auditOf(b).asked;
    await b.handle.park({ waitingFor: { kind: 'approval', id }, callId: CallId('c-act') });

    b.handle.resumeParked({
      trigger: { kind: 'message', source: { kind: 'plugin', plugin: 'answer' } },
      settle: () => {
        b.handle.agent.session.append('approval/decided', { id, outcome: 'allowed-once' });
        setApprovalPolicy(b.handle.agent.session, 'never');
        return { kind: 'run' };
      },
    });
    await b.handle.agent.whenIdle();

    expect(b.ran).toEqual([]);
    expect(auditOf(b).outcomes).toEqual(['allowed-once', 'rejected']);
  });

  it('B5 cancelled with its turn, a waiting question is withdrawn in that turn', async () => {
    const b = await approvalBench({}, [calls('act', {}, 'c-act'), hangs()]);
    b.ctx.on('approval/request', () => new Promise<ApprovalOutcome>(() => {}));
    b.handle.agent.send(text('go'));
    while (auditOf(b).asked.length === 0) await settle();

    b.handle.agent.cancel({ kind: 'user' });
    await b.handle.agent.whenIdle();

    expect(auditOf(b).outcomes).toEqual(['cancelled']);
    expect(ends(b.handle.agent.session)).toEqual([{ kind: 'aborted' }]);
  });

  it.each([
    ['asked without a tool', (id: string) => [['approval/asked', { id, toolName: '' }]]],
    [
      'an id that is open',
      (id: string) => [
        ['approval/asked', { id, toolName: 'x' }],
        ['approval/asked', { id, toolName: 'x' }],
      ],
    ],
    ['a decision of nothing asked', (id: string) => [['approval/decided', { id, outcome: 'rejected' }]]],
    [
      'an outcome of its own',
      (id: string) => [
        ['approval/asked', { id, toolName: 'x' }],
        ['approval/decided', { id, outcome: 'maybe' }],
      ],
    ],
    ['a policy of its own', () => [['approval/policy', { policy: 'maybe' }]]],
  ])('B3 the development check refuses %s', async (_case, drafts) => {
    const b = await approvalBench({}, [calls('probe'), says('done')]);
    const append = b.handle.agent.session.append.bind(b.handle.agent.session) as (type: string, data: unknown) => void;
    b.ctx.tools.register(
      tool('probe', async () => {
        for (const [type, data] of drafts('ap_x')) append(type as string, data);
        return text('ok');
      }),
    );

    await b.go();

    expect(eventsOf(b.handle.agent.session, 'tool/result')[0]?.data).toMatchObject({
      isError: true,
      error: { code: 'APPROVAL_INVARIANT' },
    });
  });
});
