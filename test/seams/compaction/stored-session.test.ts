import { afterEach, describe, expect, it } from '@jest/globals';
import { compactStoredSession } from '../../../src/room/compact-session.ts';
import { DEFAULT_CONFIG } from '../../../src/config/default-config.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { LogWriter } from '../../harness/session/session-fixture.ts';
import { ScriptedModel, says } from '../../support/scripted-model.ts';

const ID = SessionId('gh-1-2-1');
const TRIGGER = { kind: 'maintenance', command: 'compact', actor: { id: 5, login: 'maria' } } as const;
const LONG = 'word '.repeat(2_000);
let store: Store | undefined;

/** A store with one session as a worker left it. */
async function stored(write: (log: LogWriter) => LogWriter): Promise<Store> {
  store = openMemoryStore(() => new Date(0));
  const ctx = new Context();
  await ctx.plugin(sessionStore);
  await ctx.plugin(store.persistence(), undefined);
  const session = ctx.sessions.create(ID);
  write(new LogWriter(session));
  await ctx.sessions.flush(session);
  await ctx.fiber.dispose();
  return store;
}

function compact(model: ScriptedModel, { persistence }: Store, session = ID) {
  return compactStoredSession(
    { session, trigger: TRIGGER, config: DEFAULT_CONFIG, signal: new AbortController().signal },
    {
      models: { routes: new Map([['test', model]]), keys: [], targetOf: () => ({ provider: 'test', model: 'm1' }) },
      persistence: persistence(),
      redactor: { known: [] },
      target: { provider: 'test', model: 'm1' },
      log: (message, error) => {
        throw error ?? new Error(message);
      },
    },
  );
}

afterEach(() => store?.close());

describe('compaction', () => {
  it('N3 N4 CP18 a stored session is condensed without an agent: durable, and with the request it was for', async () => {
    const at = await stored((log) => log.shortTurn(`Fix the parser. ${LONG}`, LONG).shortTurn('Thanks', 'Done'));
    const model = new ScriptedModel([says('the parser was fixed')]);

    const result = await compact(model, at);

    expect(result?.shadowedTokenCount).toBeGreaterThan(5_000);
    const { events } = await at.sessions.inspect(ID);
    expect(events.slice(-2)).toMatchObject([
      { type: 'compact/end' },
      { type: 'turn/end', data: { turn: 3, reason: { kind: 'completed' } } },
    ]);
    const checkpoint = events.find(({ type, seq }) => type === 'user/message' && seq > 10)!;
    expect(JSON.stringify(checkpoint)).toContain('the parser was fixed');
    expect(JSON.stringify(checkpoint)).toMatch(/## My request:\\nThanks/);
  });

  it('N3 CP8 where nothing would be gained, nothing changes and nobody is alarmed', async () => {
    const at = await stored((log) => log.shortTurn('Hi', 'Hello').shortTurn('Thanks', 'Done'));

    expect(await compact(new ScriptedModel([says(LONG)]), at)).toBeNull();
    const { events } = await at.sessions.inspect(ID);
    expect(events.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'completed' } } });
  });

  it('N3 CP6 a session that waits for an answer, or is not there, is left as it is', async () => {
    const at = await stored((log) => log.shortTurn(LONG, LONG).parkedTurn('a'));
    const before = (await at.sessions.inspect(ID)).events.length;

    await expect(compact(new ScriptedModel(), at)).rejects.toMatchObject({
      code: 'COMPACT_PARKED',
      hint: expect.stringContaining('/dsh stop'),
    });
    await expect(compact(new ScriptedModel(), at, SessionId('none'))).rejects.toMatchObject({
      code: 'COMPACT_NO_SESSION',
    });
    expect((await at.sessions.inspect(ID)).events).toHaveLength(before);
  });
});
