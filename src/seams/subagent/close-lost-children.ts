import type { SessionPersistence } from '../../harness/session/persistence.ts';
import type { SessionEvent } from '../../harness/session/types.ts';

/**
 * Closes the logs of children that were at work when their worker was lost: they end as interrupted, and nobody goes
 * on with them. `events` is the parent's log.
 */
export async function closeLostChildren(
  persistence: Pick<SessionPersistence, 'has' | 'load'>,
  events: readonly SessionEvent[],
): Promise<void> {
  const ended = new Set(events.flatMap(({ type, data }) => (type === 'subagent/ended' ? [data.runId] : [])));
  for (const { type, data } of events) {
    if (type !== 'subagent/started' || ended.has(data.runId)) continue;
    if (await persistence.has(data.session)) await persistence.load(data.session);
  }
}
