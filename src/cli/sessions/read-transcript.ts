import { secretsOf } from '../../config/secrets-of.ts';
import type { StoredSession } from '../../harness/session/persistence.ts';
import type { SessionEvent, SessionId } from '../../harness/session/types.ts';
import { Redactor } from '../../publish/redact.ts';
import type { TranscriptOptions } from '../../store/render-transcript.ts';
import type { StoredSessions, Variables } from './open-session-query.ts';

export interface StoredTranscript extends StoredSession {
  readonly options: Required<Pick<TranscriptOptions, 'redact' | 'children'>>;
}

/** A session with the logs of its child agents, and with what takes the secrets of this environment out of it. */
export async function readTranscript(
  id: SessionId,
  stored: StoredSessions,
  variables: Variables,
): Promise<StoredTranscript> {
  const session = await stored.sessions.inspect(id);
  const children = new Map<SessionId, readonly SessionEvent[]>();
  await addChildren(session.events, children, stored);
  const redactor = new Redactor(secretsOf(variables));
  return { ...session, options: { redact: (text) => redactor.redact(text), children } };
}

async function addChildren(
  events: readonly SessionEvent[],
  children: Map<SessionId, readonly SessionEvent[]>,
  stored: StoredSessions,
): Promise<void> {
  for (const event of events) {
    if (event.type !== 'subagent/started' || children.has(event.data.session)) continue;
    if (!(await stored.sessions.has(event.data.session))) continue;
    const child = await stored.sessions.inspect(event.data.session);
    children.set(event.data.session, child.events.slice(child.meta.seedLength ?? 0));
    await addChildren(child.events, children, stored);
  }
}
