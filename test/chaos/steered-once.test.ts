import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { World } from './world.ts';

const WORDS = 'keep the greeting in lower case';
/** The first one to be done is of the comment that the bot itself made. */
const SEEN = 'before inbox done #2';
let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function storedEvents(root: string): Promise<readonly SessionEvent[]> {
  const sessions = openSqliteSessions({ path: join(root, 'data/dsh.sqlite') });
  const [header] = await sessions.list();
  const { events } = await sessions.inspect(header!.id);
  await sessions[Symbol.asyncDispose]();
  return events;
}

describe('bot-human-loop', () => {
  it('S1 T6 a worker killed between "it is in the log" and "the delivery is done": the model is told once', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const said = Promise.withResolvers<void>();
    world = await World.open({}, (nth) => {
      if (nth !== 2) return undefined;
      asked();
      return said.promise;
    });
    const first = await world.start({ at: SEEN, kind: 'kill' });
    await world.ask(first);
    await isAsked;
    await world.github.comment('acme/shop', 1, { by: 'maria', body: `/dsh say ${WORDS}` });
    await world.github.settled();
    // It is looked at before the model goes on.
    await sleep(500);
    said.resolve();
    await Promise.race([first.gone, sleep(20_000)]);
    expect(first.child.signalCode).toBe('SIGKILL');
    const told = (events: readonly SessionEvent[]) =>
      events.filter((event) => event.type === 'steering/message' && JSON.stringify(event.data).includes(WORDS));
    expect(told(await storedEvents(world.root))).toHaveLength(1);

    await world.finish(await world.start());

    const events = await storedEvents(world.root);
    expect(told(events)).toHaveLength(1);
    expect(
      events.filter(({ type }) => type === 'user/message').some((event) => JSON.stringify(event).includes(WORDS)),
    ).toBe(false);
    const { comments } = world.github.state.findRepository('acme/shop')!.issues.get(1)!;
    const comment = comments.find(({ body }) => body.includes(WORDS))!;
    expect(comment.reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect(comments.filter(({ body }) => body.startsWith('<!-- dsh:job'))).toHaveLength(1);
  }, 60_000);
});
