import { SessionPersistence } from '../../harness/session/persistence.ts';
import type { SessionLocation, StoredSession } from '../../harness/session/persistence.ts';
import type { SessionHeader, SessionId } from '../../harness/session/types.ts';
import { SessionQueryError } from './session-query-error.ts';

/** Whether the one who asks may read this session now. */
export type MayRead = (id: SessionId) => Promise<boolean>;

/**
 * The stored sessions as one caller may see them: to be put in front of whatever shows them, since the query itself checks
 * nobody. What is hidden is as if it were not there, also in errors and lineages. Nothing can be written through it.
 */
export class ReadableSessions extends SessionPersistence {
  readonly #sessions: SessionPersistence;
  readonly #mayRead: MayRead;

  constructor(sessions: SessionPersistence, mayRead: MayRead) {
    super();
    this.#sessions = sessions;
    this.#mayRead = mayRead;
    if (sessions.lengths) this.lengths = () => this.#lengths();
  }

  locate(): SessionLocation | undefined {
    return undefined;
  }

  async has(id: SessionId): Promise<boolean> {
    return (await this.#sessions.has(id)) && this.#mayRead(id);
  }

  async inspect(id: SessionId): Promise<StoredSession> {
    if (!(await this.has(id))) {
      throw new SessionQueryError(`there is no session ${id}`, 'SESSION_QUERY_SESSION_NOT_FOUND');
    }
    return this.#sessions.inspect(id);
  }

  async list(): Promise<SessionHeader[]> {
    const shown: SessionHeader[] = [];
    for (const header of await this.#sessions.list()) if (await this.#mayRead(header.id)) shown.push(header);
    return shown;
  }

  create(): Promise<void> {
    return refused();
  }

  append(): Promise<void> {
    return refused();
  }

  load(): Promise<StoredSession> {
    return refused();
  }

  async #lengths(): Promise<ReadonlyMap<SessionId, number>> {
    const shown = new Set((await this.list()).map(({ id }) => id));
    return new Map([...(await this.#sessions.lengths!())].filter(([id]) => shown.has(id)));
  }
}

function refused(): Promise<never> {
  return Promise.reject(new Error('sessions that are only shown cannot be written or mended'));
}
