import { describe, expect, it } from '@jest/globals';
import type { SessionPersistence } from '../../../src/harness/session/persistence.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { says } from '../../support/scripted-model.ts';
import { bench, ends, eventsOf, settle, text } from './agent-bench.ts';
import type { Bench } from './agent-bench.ts';

const STORED = SessionId('stored');

/** Storage that holds what is put in, and only reads. */
function remember({ ctx }: Bench, ...sessions: Pick<Session, 'header' | 'events'>[]): void {
  const find = async (id: SessionId) => {
    const found = sessions.find(({ header }) => header.id === id);
    if (!found) throw new Error(`no session ${id}`);
    return { meta: found.header, events: [...found.events] };
  };
  const storage = { load: find, inspect: find, list: async () => sessions.map(({ header }) => header) };
  ctx.provide('persistence', storage as unknown as SessionPersistence);
}

async function storedSession(): Promise<Session> {
  const { create } = await bench([says('long ago')]);
  const { agent } = await create({ sessionId: STORED, meta: { cwd: '/repo' } });
  agent.send(text('first'));
  await agent.whenIdle();
  return agent.session;
}

describe('agent', () => {
  it('A34 a stored session goes on under a resume header, and never runs its old turn on', async () => {
    const stored = await storedSession();
    const b = await bench([says('now')]);
    remember(b, stored);
    const started: string[] = [];
    b.ctx.on('agent/session-start', (_agent, source) => void started.push(source));

    const { agent } = await b.ctx.agents.resume({ resumeSessionId: STORED });
    await settle();
    expect(agent.session.header).toEqual(stored.header);
    expect(agent.session.events).toEqual(stored.events);
    expect(b.model.requests).toEqual([]);
    agent.send(text('second'));
    await agent.whenIdle();

    expect(started).toEqual(['resume']);
    expect(eventsOf(agent.session, 'request/header').map(({ data }) => data.reason)).toEqual(['initial', 'resume']);
    expect(b.model.requests[0]).toMatchObject({ provider: 'test', model: 'm1' });
    expect(b.model.requests[0]!.messages).toHaveLength(3);
    expect(ends(agent.session)).toEqual([{ kind: 'completed' }, { kind: 'completed' }]);
  });

  it('A34 a session that is not stored, or without any storage, is not resumed', async () => {
    const b = await bench();
    await expect(b.ctx.agents.resume({ resumeSessionId: STORED })).rejects.toMatchObject({ code: 'NO_PERSISTENCE' });
    remember(b);
    await expect(b.ctx.agents.resume({ resumeSessionId: STORED })).rejects.toThrow('no session stored');
    expect(b.ctx.agents.list()).toEqual([]);
  });

  it('A34 configured agents start with the loop: created, resumed if stored, or reported', async () => {
    const stored = await storedSession();
    const failed: unknown[] = [];
    const b = await bench([], {}, (early) => {
      remember(early, stored);
      early.ctx.on('agent-loop/config-start-failed', (id, error) => void failed.push([id, (error as Error).message]));
      return {
        agents: [
          { id: 'plain', provider: 'test', model: 'm', cwd: '/a' },
          { id: 'b', sessionId: 'stored' },
          { id: 'c', sessionId: 'fresh' },
          { id: 'd', resumeSessionId: 'lost' },
        ],
      };
    });
    while (b.ctx.agents.list().length < 3 || failed.length < 1) await settle();

    const started = b.ctx.agents
      .list()
      .map(({ id, session, options }) => [id, session.seq > 0, options, session.header.cwd]);
    expect(started).toEqual(
      expect.arrayContaining([
        ['plain', false, { provider: 'test', model: 'm' }, '/a'],
        ['stored', true, {}, '/repo'],
        ['fresh', false, {}, undefined],
      ]),
    );
    expect(failed).toEqual([['lost', 'no session lost']]);
  });

  it.each([
    [[{ id: 'a', sessionId: 'x', resumeSessionId: 'x' }], /exclude each other/],
    [
      [
        { id: 'a', sessionId: 'x' },
        { id: 'b', resumeSessionId: 'x' },
      ],
      /same session/,
    ],
    [[{ id: 'a' }, { id: 'a' }], /same session/],
  ])('A34 a configuration that contradicts itself fails at load: %j', async (agents, message) => {
    await expect(bench([], { agents })).rejects.toThrow(message);
  });
});
