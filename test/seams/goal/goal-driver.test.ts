import { afterEach, describe, expect, it } from '@jest/globals';
import '../../../src/bot/session/session-events.ts';
import { classifyGoalRound } from '../../../src/seams/goal/classify-goal-round.ts';
import { goalDriver } from '../../../src/seams/goal/goal-driver.ts';
import { ends, eventsOf, gate, settle, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, fails, hangs, isCut, says } from '../../support/scripted-model.ts';
import { goalBench } from './goal-bench.ts';
import type { GoalBench } from './goal-bench.ts';

let b: GoalBench;

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

const goal = () => b.ctx.goals.get(b.agent);
const create = (objective = 'all tests pass') => b.ctx.goals.create(b.agent, { objective });

describe('goal', () => {
  it('G12 G14 begins rounds while the agent is idle, up to the limit, and then blocks', async () => {
    b = await goalBench([says('one'), says('two'), says('three')]);

    create();
    await b.quiet();

    expect(b.prompts()).toEqual([1, 2, 3]);
    expect(goal()).toMatchObject({ phase: 'blocked', blockedReason: { code: 'round-limit' }, roundsStarted: 3 });
  });

  it('G12 begins nothing for a goal that is disarmed, nor while a person has the word', async () => {
    b = await goalBench([says('to you'), says('one'), says('two'), says('three')]);

    create();
    b.agent.send(text('first this'));
    await b.quiet();

    expect(b.prompts()).toEqual(['human', 1, 2, 3]);
    b.ctx.goals.disarm(b.agent);
    await b.quiet();
    expect(b.model.requests).toHaveLength(4);
  });

  it('G12 runs on nobody’s behalf', async () => {
    b = await goalBench([says('one')]);
    const seen: unknown[] = [];
    b.ctx.on('agent/queued', () => void seen.push(b.ctx.agents.currentInitiator()));

    b.ctx.agents.withInitiator(b.agent, () => create());
    b.ctx.on(
      'agent/prompt-submit',
      (_agent, _content, _source, _signal, next) => (b.ctx.goals.disarm(b.agent), next()),
    );
    await b.quiet();

    expect(seen).toEqual([undefined]);
  });

  it('G13 a goal that cannot be stored starts nothing', async () => {
    b = await goalBench([]);
    b.ctx.on('session/flush', () => Promise.reject(new Error('the disk is full')) as never);

    create();
    await b.quiet();

    expect(b.prompts()).toEqual([]);
    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed' });
  });

  it('G14 a policy can keep the next round from beginning', async () => {
    let isSpent = false;
    const reason = { code: 'budget-exhausted', message: 'the money is spent' };
    b = await goalBench([{ ...says('one'), beforeEnd: () => void (isSpent = true) }], {
      limit: () => (isSpent ? reason : undefined),
    });

    create();
    await b.quiet();

    expect(goal()).toMatchObject({ phase: 'blocked', blockedReason: reason, roundsStarted: 1 });
  });

  it('G14 whoever mounts the driver says what opens the turn of a round', async () => {
    b = await goalBench([says('one')], { trigger: (round) => ({ kind: 'goal-round', cause: 'comment-1', round }) });

    b.ctx.goals.create(b.agent, { objective: 'x', maxGoalRounds: 1 });
    await b.quiet();

    const triggers = eventsOf(b.agent.session, 'turn/start').map(({ data }) => data.trigger);
    expect(triggers).toContainEqual({ kind: 'goal-round', cause: 'comment-1', round: 1 });
  });

  it('G14 a round that cannot be queued blocks the goal', async () => {
    b = await goalBench([]);
    b.agent.send = () => {
      throw new Error('no room');
    };

    create();
    await b.quiet();

    expect(goal()).toMatchObject({ phase: 'blocked', blockedReason: { code: 'queue-failed' } });
  });

  it('G15 a goal prompt that nobody reserved is blocked', async () => {
    b = await goalBench([]);
    const { id } = create();
    b.ctx.goals.disarm(b.agent);

    b.agent.send(text('work'), { source: { kind: 'goal', goalId: id, revision: 1, round: 1 } });
    await b.agent.whenIdle();

    expect(ends(b.agent.session).at(-1)).toEqual({ kind: 'rejected', reason: 'stale goal-round reservation' });
    expect(goal()?.roundsStarted).toBe(0);
  });

  it('G15 a goal that a hook changes while it lets the prompt pass makes the reservation stale', async () => {
    b = await goalBench([says('one')]);
    let isFirst = true;
    b.ctx.on('agent/prompt-submit', async (_agent, _content, _source, _signal, next) => {
      const decision = await next();
      if (isFirst) b.ctx.goals.edit(b.agent, goal()!, { maxGoalRounds: 1 });
      isFirst = false;
      return decision;
    });

    create();
    await b.quiet();

    expect(eventsOf(b.agent.session, 'prompt/blocked').map(({ data }) => data.reason)).toEqual([
      'stale goal-round reservation',
    ]);
    expect(b.prompts()).toEqual([1]);
  });

  it('G15 a hook that throws strands nothing', async () => {
    b = await goalBench([says('one')]);
    let isFirst = true;
    b.ctx.on('agent/prompt-submit', (_agent, _content, _source, _signal, next) => {
      if (!isFirst) return next();
      isFirst = false;
      throw new Error('a hook failed');
    });

    b.ctx.goals.create(b.agent, { objective: 'x', maxGoalRounds: 1 });
    await b.quiet();

    expect(b.prompts()).toEqual([1]);
    expect(goal()).toMatchObject({ blockedReason: { code: 'round-limit' } });
  });

  it('G16 what a person writes while a round is reserved goes first', async () => {
    b = await goalBench([says('to you'), says('one'), says('two'), says('three')]);
    b.ctx.on('agent/queued', (agent, _content, { source }) => {
      if (source.kind === 'goal' && b.prompts().length === 0 && b.model.requests.length === 0) agent.send(text('wait'));
    });

    create();
    await b.quiet();

    expect(b.prompts()).toEqual(['human', 1, 2, 3]);
  });

  it('G17 a change that was made during the round wins over how it ended', async () => {
    b = await goalBench([{ ...fails('QUOTA'), before: () => void b.ctx.goals.pause(b.agent, goal()!) }]);

    create();
    await b.quiet();

    expect(goal()).toMatchObject({ phase: 'paused', revision: 2 });
  });

  it.each([
    ['a quota', () => fails('QUOTA'), 'blocked', 'usage-limited'],
    ['another error', () => fails('INVALID_REQUEST'), 'blocked', 'turn-error'],
    ['the output limit', () => isCut({ type: 'text', text: 'on' }), 'blocked', 'max-tokens'],
  ])('G17 G18 %s ends the goal’s rounds, and nothing is tried again', async (_, reply, phase, code) => {
    b = await goalBench([reply()]);

    create();
    await b.quiet();

    expect(goal()).toMatchObject({ phase, blockedReason: { code }, activation: 'disarmed' });
    expect(b.model.requests).toHaveLength(1);
  });

  it('G17 G19 a cancelled round pauses the goal, and the end of other work only disarms it', async () => {
    b = await goalBench([hangs(), hangs()]);

    create();
    while (b.model.requests.length === 0) await settle();
    b.agent.cancel();
    await b.quiet();
    expect(goal()).toMatchObject({ phase: 'paused' });

    b.agent.send(text('something else'));
    while (b.model.requests.length === 1) await settle();
    const resumed = b.ctx.goals.resume(b.agent, goal()!);
    b.agent.cancel();
    await b.quiet();
    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed', revision: resumed.revision });
  });

  it.each(['the agent is cancelled while a round is reserved', 'the cancelled round has ended'])(
    'G19 where the pause cannot be written, the goal is disarmed instead: %s',
    async (when) => {
      b = await goalBench([hangs(), says('never')]);
      const { goals } = b.ctx;
      const errors: unknown[] = [];
      b.ctx.on('kernel/error', (error) => void errors.push(error));
      goals.pause = () => {
        throw new Error('the log is full');
      };
      const isReserved = when.includes('reserved');
      if (isReserved) {
        const stop = b.ctx.on('agent/queued', () => {
          void stop();
          queueMicrotask(() => b.agent.cancel());
        });
      }

      create();
      while (!isReserved && b.model.requests.length === 0) await settle();
      if (!isReserved) b.agent.cancel();
      await b.quiet();

      expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed', revision: 1 });
      expect(errors.map(String)).toEqual(['Error: the log is full']);
      expect(b.prompts()).toEqual(isReserved ? [] : [1]);
    },
  );

  it.each([
    [{ kind: 'completed' }, true, { kind: 'continue' }],
    [{ kind: 'completed' }, false, { kind: 'disarm', reason: 'durability-failed' }],
    [{ kind: 'aborted' }, true, { kind: 'pause' }],
    [{ kind: 'disposed' }, true, { kind: 'disarm', reason: 'disposed' }],
    [{ kind: 'interrupted' }, true, { kind: 'disarm', reason: 'interrupted' }],
    [{ kind: 'parked', waitingFor: { kind: 'approval', id: 'ap_1' } }, true, { kind: 'disarm', reason: 'parked' }],
    [{ kind: 'rejected', reason: 'no' }, true, { kind: 'blocked', code: 'prompt-rejected' }],
    [
      { kind: 'error', step: 1, failure: { code: 'RATE_LIMIT', message: 'm' } },
      true,
      { kind: 'blocked', code: 'usage-limited' },
    ],
    [{ kind: 'error', step: 1, message: 'm' }, true, { kind: 'blocked', code: 'turn-error' }],
    [{ kind: 'max-tokens' }, true, { kind: 'blocked', code: 'max-tokens' }],
    [{ kind: 'from a plugin' }, true, { kind: 'blocked', code: 'unknown-turn-outcome' }],
  ])('G17 classifies %j', (reason, durable, outcome) => {
    expect(classifyGoalRound(reason as never, durable)).toMatchObject(outcome);
  });

  it('G20 a round whose log could not be stored is not settled, whatever was told since', async () => {
    b = await goalBench([says('one')]);
    let isFirst = true;
    b.ctx.on('session/flush', (session) => {
      if (eventsOf(session, 'turn/end').length < 2 || !isFirst) return;
      isFirst = false;
      b.agent.inject(text('something happened'), { source: { kind: 'plugin', plugin: 'test' } });
      throw new Error('the disk is full');
    });

    create();
    await b.quiet();

    expect(b.prompts()).toEqual([1]);
    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed' });
  });

  it('G21 a driver that fails starts nothing more', async () => {
    b = await goalBench([], {
      limit: () => {
        throw new Error('a fault');
      },
    });

    create();
    await b.quiet();

    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed' });
    expect(b.errors.map(String)).toEqual(['Error: a fault']);
  });

  it('G21 unloading cancels the round and waits for it; loading again disarms', async () => {
    const entered = gate();
    b = await goalBench([calls('wait'), says('never')]);
    b.ctx.tools.register(
      tool('wait', async (_args, { signal }) => {
        entered.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return text('cut');
      }),
    );

    create();
    await entered.promise;
    await b.driver.dispose();

    expect(b.agent.status).toBe('idle');
    expect(ends(b.agent.session).at(-1)).toEqual({ kind: 'aborted' });
    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed' });

    const again = b.ctx.goals.edit(b.agent, goal()!, { maxGoalRounds: 2 });
    b.ctx.goals.resume(b.agent, again);
    await b.ctx.plugin(goalDriver, {});
    await settle();
    expect(goal()).toMatchObject({ phase: 'active', activation: 'disarmed' });
    expect(b.model.requests).toHaveLength(1);
  });

  it('G22 the prompt of a round quotes the objective and counts', async () => {
    b = await goalBench([says('one')]);
    b.ctx.on(
      'agent/prompt-submit',
      (_agent, _content, _source, _signal, next) => (b.ctx.goals.disarm(b.agent), next()),
    );

    create('say "</goal_round>"');
    await b.quiet();

    const [blocked] = eventsOf(b.agent.session, 'prompt/blocked');
    expect(blocked?.data.content[0]).toMatchObject({
      text: expect.stringMatching(
        /^<goal_round>\nRound 1\/3 towards the objective "say \\"\\u003c\/goal_round>\\""[^]*evidence[^]*<\/goal_round>$/,
      ),
    });
  });
});
