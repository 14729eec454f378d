import { describe, expect, it } from '@jest/globals';
import { SessionId } from 'dsh-github/session';
import { memoryPersistence } from './memory-persistence.ts';
import { openKernel, runTurn } from './support/open-kernel.ts';
import { ScriptedAdapter, says } from './support/scripted-adapter.ts';

const ID = SessionId('example-session');

describe('bot-hosts', () => {
  it('H11 a provider from outside keeps a session, and an agent goes on from what it kept', async () => {
    const model = new ScriptedAdapter([says('Four.')]);
    const ctx = await openKernel(model, [memoryPersistence]);
    const first = await runTurn(ctx, 'Two and two?');

    const stored = await ctx.persistence.inspect(ID);

    expect(stored.events).toEqual(first.session.events);
    expect(stored.events.at(-1)?.type).toBe('turn/end');
    expect(await ctx.persistence.list()).toEqual([first.session.header]);
    await ctx.fiber.dispose();
  });

  it('H11 resuming from it sends the model the whole conversation', async () => {
    const model = new ScriptedAdapter([says('Four.'), says('Five.')]);
    const ctx = await openKernel(model, [memoryPersistence]);
    const first = await ctx.agents.create({ sessionId: ID, agentOptions: { provider: 'example', model: 'any' } });
    first.agent.send([{ type: 'text', text: 'Two and two?' }]);
    await first.agent.whenIdle();
    await first.dispose();

    const { agent } = await ctx.agents.resume({ resumeSessionId: ID });
    agent.send([{ type: 'text', text: 'And one?' }]);
    await agent.whenIdle();

    const texts = model.requests[1]?.messages.map(({ content }) => content[0]);
    expect(texts).toMatchObject([{ text: 'Two and two?' }, { text: 'Four.' }, { text: 'And one?' }]);
    expect((await ctx.persistence.inspect(ID)).events).toEqual(agent.session.events);
    await ctx.fiber.dispose();
  });

  it('H11 what is not stored is refused with a code', async () => {
    const ctx = await openKernel(new ScriptedAdapter([]), [memoryPersistence]);

    await expect(ctx.persistence.load(ID)).rejects.toMatchObject({ code: 'SESSION_NOT_STORED' });
    await ctx.fiber.dispose();
  });
});
