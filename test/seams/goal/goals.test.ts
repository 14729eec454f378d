import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../src/harness/agent/types.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { decodeGoalChange, renderGoalChange } from '../../../src/seams/goal/goal-change.ts';
import { foldGoal } from '../../../src/seams/goal/fold-goal.ts';
import { goals } from '../../../src/seams/goal/goals.ts';
import type { GoalChanged, GoalChangeMeta, GoalView } from '../../../src/seams/goal/types.ts';
import { GoalId } from '../../../src/seams/goal/types.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';

let b: Bench;
let agent: Agent;
let now = 100;

beforeEach(async () => {
  now = 100;
  b = await bench([calls('change'), says('done')]);
  await b.ctx.plugin(goals, { defaultMaxGoalRounds: 4, now: () => now });
  agent = (await b.create()).agent;
});

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

const create = (objective = 'all tests pass') => b.ctx.goals.create(agent, { objective });
const code = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'accepted';
};
const metas = () =>
  eventsOf(agent.session, 'context/message').map(({ data }) => data.meta as unknown as GoalChangeMeta);

describe('goal', () => {
  it('G1 takes only the live agent itself', async () => {
    const handle = await b.create();
    await handle.dispose();

    for (const other of [{ ...agent, id: agent.id } as Agent, handle.agent])
      expect(code(() => b.ctx.goals.create(other, { objective: 'x' }))).toBe('GOAL_AGENT_NOT_LIVE');
  });

  it('G2 has one goal at a time: a new one begins armed, at revision 1 and without rounds', () => {
    const goal = create();

    expect(goal).toMatchObject({
      revision: 1,
      phase: 'active',
      activation: 'armed',
      roundsStarted: 0,
      maxGoalRounds: 4,
    });
    expect(code(() => create('another'))).toBe('GOAL_ALREADY_EXISTS');
    b.ctx.goals.complete(agent, goal);
    const second = create('another');
    expect(second.id).not.toBe(goal.id);
  });

  it('G3 every change names the current revision and raises it by one', () => {
    const goal = create();
    const edited = b.ctx.goals.edit(agent, goal, { objective: 'some tests pass' });

    expect(edited.revision).toBe(2);
    expect(code(() => b.ctx.goals.pause(agent, goal))).toBe('GOAL_STALE_REVISION');
    expect(code(() => b.ctx.goals.pause(agent, { ...edited, id: GoalId('other') }))).toBe('GOAL_STALE_REVISION');
    expect(code(() => b.ctx.goals.pause(agent, edited))).toBe('accepted');
  });

  const reason = { code: 'no-key', message: 'there is no key' };
  const reach: Record<string, (goal: GoalView) => GoalView> = {
    active: (goal) => goal,
    paused: (goal) => b.ctx.goals.pause(agent, goal),
    blocked: (goal) => b.ctx.goals.block(agent, goal, reason),
    complete: (goal) => b.ctx.goals.complete(agent, goal),
  };
  const change: Record<string, (goal: GoalView) => unknown> = {
    pause: (goal) => b.ctx.goals.pause(agent, goal),
    resume: (goal) => b.ctx.goals.resume(agent, goal),
    complete: (goal) => b.ctx.goals.complete(agent, goal),
    block: (goal) => b.ctx.goals.block(agent, goal, reason),
    edit: (goal) => b.ctx.goals.edit(agent, goal, { maxGoalRounds: 9 }),
    clear: (goal) => b.ctx.goals.clear(agent, goal),
  };
  it.each([
    ['active', ['pause', 'complete', 'block', 'edit', 'clear']],
    ['paused', ['resume', 'complete', 'edit', 'clear']],
    ['blocked', ['resume', 'complete', 'edit', 'clear']],
    ['complete', ['edit', 'clear']],
  ])('G4 a goal that is %s takes %j and no other change', async (phase, allowed) => {
    const results: string[] = [];
    for (const operation of Object.keys(change)) {
      const { agent: fresh } = await b.create();
      agent = fresh;
      const goal = reach[phase]!(create());
      if (code(() => change[operation]!(goal)) === 'accepted') results.push(operation);
    }

    expect(results.sort()).toEqual([...allowed].sort());
  });

  it('G4 an edit keeps phase, reason and activation, and changes something', () => {
    const goal = create();
    expect(code(() => b.ctx.goals.edit(agent, goal, {}))).toBe('GOAL_INVALID_EDIT');

    const blocked = b.ctx.goals.block(agent, b.ctx.goals.edit(agent, goal, { maxGoalRounds: 2 }), reason);
    const edited = b.ctx.goals.edit(agent, blocked, { objective: 'less' });

    expect(edited).toMatchObject({ phase: 'blocked', blockedReason: reason, activation: 'disarmed', maxGoalRounds: 2 });
  });

  it('G5 resuming drops the reason, arms, and needs rounds that are left', () => {
    const blocked = b.ctx.goals.block(agent, create(), reason);
    const resumed = b.ctx.goals.resume(agent, blocked);

    expect(resumed).toMatchObject({ phase: 'active', activation: 'armed' });
    expect(resumed).not.toHaveProperty('blockedReason');
    expect(code(() => b.ctx.goals.resume(agent, resumed))).toBe('GOAL_INVALID_TRANSITION');
    const done = b.ctx.goals.complete(agent, resumed);
    expect(done.activation).toBe('disarmed');
  });

  it.each([
    ['GOAL_INVALID_OBJECTIVE', () => create('  ')],
    ['GOAL_INVALID_MAX_ROUNDS', () => b.ctx.goals.create(agent, { objective: 'x', maxGoalRounds: 0 })],
    ['GOAL_INVALID_MAX_ROUNDS', () => b.ctx.goals.create(agent, { objective: 'x', maxGoalRounds: 1.5 })],
    ['GOAL_INVALID_BLOCK_REASON', () => b.ctx.goals.block(agent, create(), { code: 'No Key', message: 'x' })],
    ['GOAL_INVALID_BLOCK_REASON', () => b.ctx.goals.block(agent, create(), { code: 'no-key', message: ' ' })],
  ])('G6 refuses with %s', (expected, act) => {
    expect(code(act)).toBe(expected);
  });

  it('G6 G7 a change is a context of the agent, and its tag cannot be closed by the objective', () => {
    create(' end </goal_state> here ');

    const [event] = eventsOf(agent.session, 'context/message');
    const [block] = event!.data.content;
    expect(event!.data.source).toMatchObject({ kind: 'goal', revision: 1, round: 0 });
    expect(block).toMatchObject({ text: expect.stringMatching(/^<goal_state>\{[^<]*\}<\/goal_state>$/) });
    expect(foldGoal(agent.session.events).goal?.objective).toBe('end </goal_state> here');
  });

  it.each([
    ['another revision', { goal: { revision: 3 } }],
    ['a time that went backwards', { updatedAt: 1 }],
    ['a transition that is none', { operation: 'create', goal: { phase: 'active' } }],
    ['another phase', { goal: { phase: 'paused' } }],
    ['a wrong number of rounds', { roundsStarted: 2 }],
    ['an objective that is not trimmed', { goal: { objective: ' x ' } }],
    ['a reason without a block', { goal: { blockedReason: reason } }],
    ['a field we do not know', { more: 1 }],
  ])('G7 reading a log with %s throws', (_, changed) => {
    const goal = create();
    b.ctx.goals.complete(agent, goal);
    const meta = metas()[1] as unknown as Record<string, unknown>;
    const wrong = { ...meta, ...changed, goal: { ...(meta.goal as object), ...(changed as { goal?: object }).goal } };

    expect(() => foldGoal(withChange(agent.session.events, wrong))).toThrow();
  });

  it('G7 a content or a source that says another thing than the metadata throws, and metadata of others is left alone', () => {
    create();
    const [event] = eventsOf(agent.session, 'context/message');
    const other = (data: object) => [{ ...event!, data: { ...event!.data, ...data } }] as unknown as SessionEvent[];

    expect(() => foldGoal(other({ content: [{ type: 'text', text: 'x' }] }))).toThrow();
    expect(() => foldGoal(other({ source: { ...event!.data.source, revision: 2 } }))).toThrow();
    expect(() => foldGoal(other({ source: { ...event!.data.source, round: 1 } }))).toThrow();
    expect(foldGoal(other({ meta: { kind: 'other' } }))).toEqual({ roundsStarted: 0 });
    expect(decodeGoalChange(null)).toBeUndefined();
  });

  it('G8 calls of one batch see each other before the log has them', async () => {
    const revisions: number[] = [];
    b.ctx.tools.register(
      tool('change', async () => {
        const goal = create();
        revisions.push(goal.revision, b.ctx.goals.edit(agent, goal, { objective: 'more' }).revision);
        expect(eventsOf(agent.session, 'context/message')).toHaveLength(0);
        return text('changed');
      }),
    );

    agent.send(text('go'));
    await agent.whenIdle();

    expect(revisions).toEqual([1, 2]);
    expect(metas().map((meta) => meta.operation)).toEqual(['create', 'edit']);
    expect(b.ctx.goals.get(agent)).toMatchObject({ revision: 2, objective: 'more' });
    expect(b.ctx.goals.isLanded(agent)).toBe(true);
  });

  it('G8 a change that could not be told is none', () => {
    const goal = create();
    const undo = b.ctx.sessions.addValidator(() => {
      throw new Error('refused');
    });

    expect(() => b.ctx.goals.pause(agent, goal)).toThrow();
    undo();

    expect(b.ctx.goals.get(agent)).toMatchObject({ revision: 1, phase: 'active', activation: 'armed' });
  });

  it('G9 time never goes backwards for a goal', () => {
    const goal = create();
    now = 50;
    const paused = b.ctx.goals.pause(agent, goal);
    now = 200;

    expect(paused).toMatchObject({ createdAt: 100, updatedAt: 100 });
    expect(b.ctx.goals.resume(agent, paused).updatedAt).toBe(200);
  });

  it('G10 a session that is gone on with keeps its goal, disarmed', async () => {
    create();
    const seed = agent.session.events;

    const { agent: next } = await b.create({ seed });

    expect(b.ctx.goals.get(next)).toMatchObject({ phase: 'active', activation: 'disarmed' });
  });

  it('G11 only a prompt of the next round counts as one', () => {
    const goal = create();
    const prompt = (round: number, goalId: string = goal.id) =>
      ({
        type: 'user/message',
        data: { content: [], source: { kind: 'goal', goalId, revision: 1, round } },
      }) as unknown as SessionEvent;
    const { events } = agent.session;

    expect(foldGoal([...events, prompt(1), prompt(2)]).roundsStarted).toBe(2);
    expect(foldGoal([...events, prompt(1, 'other')]).roundsStarted).toBe(0);
    expect(() => foldGoal([...events, prompt(2)])).toThrow();
  });

  it('G2 G3 clearing leaves a mark, and tells', () => {
    const heard: GoalChanged[] = [];
    agent.ctx.on('goal/changed', (_agent, changed) => void heard.push(changed));
    const goal = create();

    expect(b.ctx.goals.clear(agent, goal)).toEqual({ id: goal.id, revision: 2 });

    expect(b.ctx.goals.get(agent)).toBeUndefined();
    expect(heard.map(({ operation }) => operation)).toEqual(['create', 'clear']);
    expect(code(() => b.ctx.goals.pause(agent, goal))).toBe('GOAL_NOT_FOUND');
  });
});

function withChange(events: readonly SessionEvent[], meta: unknown): SessionEvent[] {
  const last = events.findLastIndex(({ type }) => type === 'context/message');
  return events.map((event, at) =>
    at === last
      ? ({ ...event, data: { ...event.data, meta, content: renderGoalChange(meta as never) } } as SessionEvent)
      : event,
  );
}
