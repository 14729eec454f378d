import type { SessionPersistence } from './persistence.ts';
import type { Session } from './session.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionId } from './types.ts';

/**
 * A stored session, mended and ready to be entered; its old turn does not run on. Set up what listens to it, then
 * `sessions.enter` and `sessions.announce` it: the store goes on with the same log. Rejects as `load` does.
 */
export async function prepareStoredSession(
  id: SessionId,
  { persistence, sessions }: { persistence: SessionPersistence; sessions: SessionStore },
): Promise<Session> {
  const { meta, events } = await persistence.load(id);
  return sessions.prepare(id, { seed: events, meta });
}
