import { describe, expect, it } from '@jest/globals';
import { createScope } from '../../../src/harness/scope/scope.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { hangs, says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, gate, settle, text } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

const ID = SessionId('the-one');

function lifeOf({ ctx }: Bench): string[] {
  const life: string[] = [];
  for (const event of ['session/created', 'session/disposed', 'agent/created', 'agent/disposed'] as const) {
    ctx.on(event, () => void life.push(event));
  }
  ctx.on('agent/session-start', (_agent, source) => void life.push(`agent/session-start ${source}`));
  ctx.on('session/event', (_session, { type }) => void (type === 'turn/end' && life.push(type)));
  return life;
}

function nobodyIsLeft({ ctx }: Bench) {
  expect(ctx.agents.list()).toEqual([]);
  expect(ctx.sessions.list()).toEqual([]);
}

describe('agent', () => {
  it('A34 an agent is set up in private, then published, then driven', async () => {
    const b = await bench([says('ok')]);
    const life = lifeOf(b);
    const { agent } = await b.create({
      sessionId: ID,
      setup: async (agentCtx) => {
        life.push(`setup, published: ${b.ctx.agents.get(ID) !== undefined || b.ctx.sessions.get(ID) !== undefined}`);
        agentCtx.on('agent/created', (created) => {
          life.push('scoped listener');
          created.send(text('from a listener'));
          expect(b.ctx.agents.get(ID)).toBe(created);
          expect(b.ctx.sessions.get(ID)).toBe(created.session);
        });
        await settle();
      },
    });
    await agent.whenIdle();

    expect(life).toEqual([
      'setup, published: false',
      'session/created',
      'agent/created',
      'scoped listener',
      'agent/session-start startup',
      'turn/end',
    ]);
  });

  it('A34 a setup that fails publishes nothing and unwinds what it registered', async () => {
    const b = await bench();
    const life = lifeOf(b);
    let undone = false;

    const creation = b.create({
      sessionId: ID,
      setup: (agentCtx) => {
        agentCtx.effect(() => () => void (undone = true));
        throw new Error('no');
      },
    });

    await expect(creation).rejects.toThrow('no');
    expect(life).toEqual([]);
    expect(undone).toBe(true);
    nobodyIsLeft(b);
    await expect(b.create({ sessionId: ID })).resolves.toBeDefined();
  });

  it.each([
    ['session/created', ['session/created', 'session/disposed']],
    ['agent/created', ['session/created', 'agent/created', 'agent/disposed', 'session/disposed']],
  ] as const)('A34 a throw in %s takes everything back, and what was announced is paired', async (event, expected) => {
    const b = await bench();
    const life = lifeOf(b);
    const undo = b.ctx.on(event, () => {
      throw new Error('veto');
    });

    await expect(b.create({ sessionId: ID })).rejects.toThrow('veto');

    expect(life).toEqual(expected);
    nobodyIsLeft(b);
    await undo();
    await expect(b.create({ sessionId: ID })).resolves.toBeDefined();
  });

  it('A34 the signal covers the creation and nothing after it', async () => {
    const b = await bench([says('ok')]);
    const creation = new AbortController();
    const early = b.create({
      sessionId: ID,
      signal: creation.signal,
      setup: () => creation.abort(new Error('changed my mind')),
    });
    await expect(early).rejects.toThrow('changed my mind');
    nobodyIsLeft(b);

    const later = new AbortController();
    const { agent } = await b.create({ sessionId: ID, signal: later.signal });
    later.abort();
    agent.send(text('hello'));
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A34 when the owner goes during setup the creation rolls back', async () => {
    const b = await bench();
    const life = lifeOf(b);
    const owner = createScope(b.ctx, {});
    const held = gate();
    const creation = owner.ctx.agents.create({ sessionId: ID, setup: () => held.promise });
    const outcome = expect(creation).rejects.toMatchObject({ code: 'AGENT_DISPOSED' });
    await settle();

    await owner.dispose();
    held.resolve();

    await outcome;
    expect(life).toEqual([]);
    nobodyIsLeft(b);
  });

  it('A34 an id that is live is refused, and the live one is untouched', async () => {
    const b = await bench([says('ok')]);
    const { agent } = await b.create({ sessionId: ID });

    await expect(b.create({ sessionId: ID })).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' });

    expect(b.ctx.agents.get(ID)).toBe(agent);
    agent.send(text('hello'));
    await agent.whenIdle();
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A35 teardown: the driver drains, the agent leaves, its session leaves, its scope unwinds', async () => {
    const b = await bench([hangs()]);
    const life = lifeOf(b);
    const { agent, dispose } = await b.create({
      setup: (agentCtx) => {
        agentCtx.effect(() => () => void life.push('scope'));
        agentCtx.on('session/flush', () => void life.push('flush'));
        agentCtx.on('session/disposed', () => void life.push('scoped: session/disposed'));
      },
    });
    agent.send(text('hello'));
    await settle();
    life.length = 0;

    await dispose();

    expect(life).toEqual([
      'turn/end',
      'flush',
      'agent/disposed',
      'session/disposed',
      'scoped: session/disposed',
      'scope',
    ]);
    expect(agent.status).toBe('disposed');
    expect(() => agent.ctx.on('agent/status', () => {})).toThrow(expect.objectContaining({ code: 'INACTIVE_EFFECT' }));
  });

  it.each(['the handle', 'the owner', 'the loop plugin'] as const)(
    'A35 all who dispose await the same teardown, when %s comes first',
    async (first) => {
      const b = await bench([hangs()]);
      const owner = createScope(b.ctx, {});
      const handle = await owner.ctx.agents.create({ sessionId: ID, agentOptions: { provider: 'test', model: 'm' } });
      const flush = gate();
      b.ctx.on('session/flush', () => flush.promise);
      handle.agent.send(text('hello'));
      await settle();
      const loop = [...b.ctx.fiber.children].find(({ name }) => name === 'agent-loop')!;
      const ways = { 'the handle': handle.dispose, 'the owner': owner.dispose, 'the loop plugin': loop.dispose };
      let done = 0;

      const all = [ways[first], handle.dispose, owner.dispose].map((dispose) => dispose().then(() => (done += 1)));
      await settle();
      expect(done).toBe(0);
      expect(b.ctx.agents.get(ID)).toBe(handle.agent);
      flush.resolve();
      await Promise.all(all);

      expect(ends(handle.agent.session)).toEqual([{ kind: 'disposed' }]);
      nobodyIsLeft(b);
    },
  );

  it('A35 disposal asked for by a creation listener waits until that dispatch is over', async () => {
    const b = await bench();
    const life = lifeOf(b);
    const owner = createScope(b.ctx, {});
    b.ctx.on('agent/created', () => void owner.dispose());
    b.ctx.on('agent/created', (agent) => void life.push(`still there: ${b.ctx.agents.get(agent.id) === agent}`));

    const creation = owner.ctx.agents.create({ sessionId: ID });

    await expect(creation).rejects.toMatchObject({ code: 'AGENT_DISPOSED' });
    expect(life).toEqual([
      'session/created',
      'agent/created',
      'still there: true',
      'agent/disposed',
      'session/disposed',
    ]);
    nobodyIsLeft(b);
  });

  it('A35 leaving while being announced waits until every listener has heard of the coming', async () => {
    const b = await bench();
    const life = lifeOf(b);
    const foreign = { id: ID } as never;
    const leave = b.ctx.agents.enter(foreign);
    b.ctx.on('agent/created', () => leave());
    b.ctx.on('agent/created', () => void life.push(`still there: ${b.ctx.agents.get(ID) === foreign}`));

    b.ctx.agents.announce(foreign);

    expect(life).toEqual(['agent/created', 'still there: true', 'agent/disposed']);
    nobodyIsLeft(b);
  });

  it('A36 a stale disposer leaves a later agent of the same id alone', async () => {
    const b = await bench([says('ok')]);
    const first = await b.create({ sessionId: ID });
    await first.dispose();
    const second = await b.create({ sessionId: ID });

    await first.dispose();
    const stale = b.ctx.agents.enter({ id: SessionId('other') } as never);
    stale();
    const leave = b.ctx.agents.enter({ id: SessionId('other') } as never);
    stale();

    expect(b.ctx.agents.get(ID)).toBe(second.agent);
    expect(b.ctx.agents.get(SessionId('other'))).toBeDefined();
    leave();
    second.agent.send(text('hello'));
    await second.agent.whenIdle();
    expect(ends(second.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('A36 ownership: roots, children of an agent, and who made whom', async () => {
    const b = await bench();
    const parent = await b.create();
    const child = await parent.agent.ctx.agents.create({ sessionId: SessionId('child') });

    expect(b.ctx.agents.roots()).toEqual([parent.agent]);
    expect(b.ctx.agents.list()).toEqual([parent.agent, child.agent]);
    expect(b.ctx.agents.isOwnedBy(child.agent.id, parent.agent)).toBe(true);
    expect(b.ctx.agents.isOwnedBy(parent.agent.id, parent.agent)).toBe(false);
    await parent.dispose();
    nobodyIsLeft(b);
  });

  it('A34 there is one factory at a time, and none means no agents', async () => {
    const b = await bench();
    expect(() => b.ctx.agents.setFactory({} as never)).toThrow(
      expect.objectContaining({ code: 'AGENT_FACTORY_EXISTS' }),
    );
    const loop = [...b.ctx.fiber.children].find(({ name }) => name === 'agent-loop')!;
    await loop.dispose();

    await expect(b.create()).rejects.toMatchObject({ code: 'NO_AGENT_FACTORY' });
  });

  it('A34 an agent somebody else drives is published and taken out again by its registration', async () => {
    const b = await bench();
    const life = lifeOf(b);
    const foreign = { id: SessionId('foreign') } as never;

    const undo = b.ctx.agents.register(foreign);
    expect(b.ctx.agents.get(SessionId('foreign'))).toBe(foreign);
    await undo();

    expect(b.ctx.agents.list()).toEqual([]);
    expect(life).toEqual(['agent/created', 'agent/disposed']);
  });

  it('A23 work of a turn runs on behalf of its agent, and can step out of that', async () => {
    const b = await bench([says('ok')]);
    const { agent } = await b.create();
    const seen: unknown[] = [];
    b.ctx.on('agent/pre-step', async () => {
      await settle();
      const { agents } = b.ctx;
      seen.push(
        agents.requireInitiator(),
        agents.withoutInitiator(() => agents.currentInitiator()),
      );
    });

    agent.send(text('hello'));
    await agent.whenIdle();

    expect(seen).toEqual([agent, undefined]);
    expect(b.ctx.agents.currentInitiator()).toBeUndefined();
    expect(() => b.ctx.agents.requireInitiator()).toThrow(expect.objectContaining({ code: 'NO_INITIATOR' }));
    expect(b.ctx.agents.withInitiator(agent, () => b.ctx.agents.requireInitiator())).toBe(agent);
    expect(eventsOf(agent.session, 'turn/end')).toHaveLength(1);
  });
});
