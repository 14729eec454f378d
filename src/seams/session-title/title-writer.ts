import type { Session } from '../../harness/session/session.ts';
import type { SessionStore } from '../../harness/session/session-store.ts';
import type { SessionEvent, SessionEventMap } from '../../harness/session/types.ts';
import type { SessionTitleEventData, SessionTitleLlmRequestEventData } from './types.ts';

const TRIGGER = { kind: 'session-title' } as const;

/** Adds a title, within the turn that is open or in one of its own that is flushed. */
export function appendSessionTitleOutOfBand(
  sessions: SessionStore,
  session: Session,
  data: SessionTitleEventData,
): Promise<SessionEvent<'session/title'>> {
  return sessions.appendOutOfBand(session, 'session/title', data, TRIGGER);
}

/**
 * Writes for one session after the other, since overlapping ones are refused. What a write asks is looked at when its
 * turn comes; once begun, it is completed.
 */
export class TitleWriter {
  readonly #sessions: SessionStore;
  readonly #tails = new WeakMap<Session, Promise<unknown>>();

  constructor(sessions: SessionStore) {
    this.#sessions = sessions;
  }

  /** `decide` gives the title when its turn has come, or nothing where none is wanted any more. */
  title(
    session: Session,
    decide: () => SessionTitleEventData | undefined,
  ): Promise<SessionEvent<'session/title'> | undefined> {
    return this.#queue(session, async () => {
      const data = decide();
      return data && appendSessionTitleOutOfBand(this.#sessions, session, data);
    });
  }

  request(session: Session, data: SessionTitleLlmRequestEventData, signal: AbortSignal): Promise<unknown> {
    return this.#queue(session, async () => {
      signal.throwIfAborted();
      return this.#sessions.appendOutOfBand(session, 'session/title-llm-request', data, TRIGGER);
    });
  }

  /** What a request cost, whatever became of it. */
  cost(session: Session, data: SessionEventMap['llm/auxiliary']): Promise<unknown> {
    return this.#queue(session, async () => {
      if (this.#sessions.isLive(session)) await this.#sessions.appendOutOfBand(session, 'llm/auxiliary', data, TRIGGER);
    });
  }

  /** An idle queue begins at once. */
  #queue<T>(session: Session, write: () => Promise<T>): Promise<T> {
    const tail = this.#tails.get(session);
    const written = tail ? tail.then(write) : write();
    const settled = written.then(
      () => {},
      () => {},
    );
    this.#tails.set(session, settled);
    void settled.then(() => {
      if (this.#tails.get(session) === settled) this.#tails.delete(session);
    });
    return written;
  }
}
