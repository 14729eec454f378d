import { afterEach, describe, expect, it } from '@jest/globals';
import type { MessageSource } from '../../../src/harness/llm/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { goalTools } from '../../../src/seams/goal/goal-tools.ts';
import { updateGoal } from '../../../src/seams/goal/update-goal.ts';
import { eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { goalBench } from './goal-bench.ts';
import type { GoalBench } from './goal-bench.ts';

let b: GoalBench;

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

async function start(script: readonly ScriptedReply[], config: Parameters<typeof goalTools.apply>[1] = {}) {
  b = await goalBench(script);
  await b.ctx.plugin(goalTools, config);
}
const goal = () => b.ctx.goals.get(b.agent);
const results = () => eventsOf(b.agent.session, 'tool/result').map(({ data }) => data);
const codes = () => results().map(({ error }) => error?.code ?? 'done');
/** Calls with the goal's id and revision as they are when the call is made. */
const update = (action: string, more: object = {}): ScriptedReply => {
  const late = {
    get id() {
      return goal()?.id;
    },
    get revision() {
      return goal()?.revision;
    },
  };
  return { chunks: lazy(() => calls('update_goal', { id: late.id, revision: late.revision, action, ...more }).chunks) };
};
const lazy = <T>(make: () => readonly T[]): readonly T[] =>
  ({ [Symbol.iterator]: () => make()[Symbol.iterator]() }) as never;
const stranger: MessageSource = {
  kind: 'github',
  actor: 'tom',
  association: 'NONE',
  permission: 'none',
  url: '',
  trusted: false,
};

describe('goal', () => {
  it('G23 answers only a running agent in its own turn, one call after the other', async () => {
    await start([calls('outside'), says('done')]);
    const call = { callId: CallId('c'), name: 'get_goal', arguments: {}, signal: new AbortController().signal };
    b.ctx.tools.register(
      tool('outside', async () => {
        const result = await b.ctx.agents.withoutInitiator(() => b.ctx.tools.execute({ ...call, agent: b.agent }));
        return text(result.error?.code ?? 'done');
      }),
    );

    expect((await b.ctx.tools.execute({ ...call, agent: b.agent })).error?.code).toBe('GOAL_TOOL_AGENT_REQUIRED');
    expect((await b.ctx.tools.execute(call)).error?.code).toBe('GOAL_TOOL_AGENT_REQUIRED');
    b.agent.send(text('go'));
    await b.agent.whenIdle();

    expect(results()[0]?.content).toEqual(text('GOAL_TOOL_DRIVER_REQUIRED'));
    for (const name of ['get_goal', 'create_goal', 'update_goal'])
      expect(b.ctx.tools.executionMode({ name, arguments: {}, agent: b.agent })).toEqual({ kind: 'exclusive' });
  });

  it('G24 a person can have a goal set and changed', async () => {
    await start([
      calls('create_goal', { objective: 'all tests pass', max_rounds: 1 }),
      update('edit', { objective: 'most tests pass' }),
      update('pause'),
      says('set'),
    ]);

    b.agent.send(text('set a goal'));
    await b.quiet();

    expect(codes()).toEqual(['done', 'done', 'done']);
    expect(goal()).toMatchObject({ objective: 'most tests pass', maxGoalRounds: 1, phase: 'paused', revision: 3 });
  });

  it('G24 nobody else can, not as steering either', async () => {
    await start([
      calls('create_goal', { objective: 'x' }),
      says('no'),
      calls('wait'),
      calls('create_goal', { objective: 'x' }),
      says('no'),
    ]);
    b.ctx.tools.register(
      tool('wait', async () => (b.agent.steer(text('set a goal'), { source: stranger }), text('ok'))),
    );

    b.agent.send(text('set a goal'), { source: stranger });
    b.agent.send(text('from a plugin'), { source: { kind: 'plugin', plugin: 'test' } });
    await b.quiet();

    expect(codes()).toEqual(['GOAL_TOOL_AUTHORITY_REQUIRED', 'done', 'GOAL_TOOL_AUTHORITY_REQUIRED']);
    expect(goal()).toBeUndefined();
  });

  it('G24 a trusted comment speaks for a person, an agent made by another one never does', async () => {
    await start([
      calls('create_goal', { objective: 'x' }),
      says('no'),
      calls('create_goal', { objective: 'x', max_rounds: 1 }),
      update('pause'),
      says('set'),
    ]);
    const child = await b.agent.ctx.agents.create({
      sessionId: SessionId('child'),
      agentOptions: { provider: 'test', model: 'm1' },
    });

    child.agent.send(text('set a goal'));
    await child.agent.whenIdle();
    expect(eventsOf(child.agent.session, 'tool/result')[0]?.data.error?.code).toBe('GOAL_TOOL_AUTHORITY_REQUIRED');

    b.agent.send(text('set a goal'), { source: { ...stranger, trusted: true } });
    await b.quiet();
    expect(goal()).toMatchObject({ objective: 'x', phase: 'paused' });
  });

  it('G25 a round reports its goal complete, and blocked no sooner than after some rounds', async () => {
    await start([
      update('blocked', { blocked_reason: 'no key' }),
      says('one'),
      says('two'),
      update('blocked', { blocked_reason: 'no key' }),
    ]);

    b.ctx.goals.create(b.agent, { objective: 'x' });
    await b.quiet();

    expect(codes()).toEqual(['GOAL_TOOL_BLOCK_THRESHOLD', 'done']);
    expect(goal()).toMatchObject({
      phase: 'blocked',
      blockedReason: { code: 'model-reported', message: 'no key' },
      roundsStarted: 3,
    });
  });

  it('G25 a round changes nothing else, and a person may block at once', async () => {
    await start([update('pause'), update('edit', { objective: 'less' }), says('one'), says('two'), says('three')], {});
    b.ctx.goals.create(b.agent, { objective: 'x' });
    await b.quiet();
    expect(codes()).toEqual(['GOAL_TOOL_AUTHORITY_REQUIRED', 'GOAL_TOOL_AUTHORITY_REQUIRED']);

    await b.ctx.fiber.dispose();
    await start([update('blocked', { blocked_reason: 'wait for the release' }), says('ok')]);
    b.agent.send(text('block it'));
    b.ctx.goals.create(b.agent, { objective: 'x' });
    await b.quiet();
    expect(goal()).toMatchObject({ phase: 'blocked' });
  });

  it('G26 a round that is complete by its own judgement ends there, one a person spoke in goes on', async () => {
    await start([update('complete'), update('complete'), says('said to the person')]);

    b.ctx.goals.create(b.agent, { objective: 'x' });
    await b.quiet();
    expect(b.model.requests).toHaveLength(1);
    expect(goal()?.phase).toBe('complete');

    b.ctx.goals.create(b.agent, { objective: 'y' });
    b.ctx.goals.disarm(b.agent);
    b.agent.send(text('it is complete'));
    await b.quiet();
    expect(b.model.requests).toHaveLength(3);
  });

  it('G26 whoever mounts it can end the round himself', async () => {
    await start([update('complete'), says('a closing word')], { endsTurn: false });

    b.ctx.goals.create(b.agent, { objective: 'x' });
    await b.quiet();

    expect(b.model.requests).toHaveLength(2);
  });

  it.each([
    ['edit', {}],
    ['edit', { objective: ' ', max_rounds: 0 }],
    ['pause', { objective: 'x' }],
    ['complete', { blocked_reason: 'x' }],
    ['blocked', { blocked_reason: '' }],
    ['resume', { max_rounds: 2 }],
  ] as const)('G27 refuses %s with %j', async (action, more) => {
    await start([]);
    const { id, revision } = b.ctx.goals.create(b.agent, { objective: 'x' });
    b.ctx.goals.disarm(b.agent);
    const authority = { agent: b.agent, turn: 1, isHuman: true, round: undefined };

    expect(() => updateGoal(b.ctx.goals, { id, revision, action, ...more }, authority, 3)).toThrow(
      expect.objectContaining({ code: 'GOAL_TOOL_INVALID_UPDATE' }),
    );
  });

  it('G27 blanks that models fill in count as absent, and the answer is compact JSON', async () => {
    await start([
      calls('create_goal', { objective: 'x', max_rounds: 0 }),
      update('pause', { objective: '', max_rounds: 0, blocked_reason: '' }),
      calls('get_goal'),
      says('ok'),
    ]);

    b.agent.send(text('set a goal'));
    await b.quiet();

    const last = JSON.parse((results()[2]?.content[0] as { text: string }).text) as unknown;
    expect(last).toMatchObject({
      id: goal()?.id,
      revision: 2,
      phase: 'paused',
      maxGoalRounds: 3,
      activation: 'disarmed',
    });
  });
});
