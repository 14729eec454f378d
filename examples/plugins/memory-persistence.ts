/**
 * A provider: something that answers for a seam. `persistence` keeps session logs; this one keeps them in memory, for
 * tests and one-shot runs. Whoever needs the service says `inject: ['persistence']` or asks for `ctx.persistence`, and
 * does not know which provider answers. There is one provider of a service at a time.
 */
import type { Plugin } from 'dsh-github/kernel';
import { HarnessError } from 'dsh-github/llm';
import { SessionPersistence } from 'dsh-github/session';
import type { SessionEvent, SessionHeader, SessionId, StoredSession } from 'dsh-github/session';

/** The service, written against the definition alone. */
class MemoryPersistence extends SessionPersistence {
  readonly #logs = new Map<SessionId, { meta: SessionHeader; events: readonly SessionEvent[] }>();

  locate(): undefined {
    return undefined; // there is no file to show to people
  }

  async create(meta: SessionHeader): Promise<void> {
    if (this.#logs.has(meta.id)) throw new HarnessError(`session ${meta.id} is stored already`, 'SESSION_ID_TAKEN');
    this.keep(meta, []);
  }

  async append(id: SessionId, events: readonly SessionEvent[]): Promise<void> {
    const { meta, events: stored } = await this.inspect(id);
    if (events[0] && events[0].seq !== stored.length) throw new HarnessError('events are missing', 'SEQ_MISMATCH');
    this.keep(meta, [...stored, ...events]);
  }

  /** Nothing in memory can be torn, so there is nothing to mend. */
  load(id: SessionId): Promise<StoredSession> {
    return this.inspect(id);
  }

  async inspect(id: SessionId): Promise<StoredSession> {
    const log = this.#logs.get(id);
    if (!log) throw new HarnessError(`there is no session ${id}`, 'SESSION_NOT_STORED');
    return log;
  }

  async has(id: SessionId): Promise<boolean> {
    return (this.#logs.get(id)?.events.length ?? 0) > 0;
  }

  async list(): Promise<SessionHeader[]> {
    return [...this.#logs.values()].filter(({ events }) => events.length > 0).map(({ meta }) => meta);
  }

  keep(meta: SessionHeader, events: readonly SessionEvent[]): void {
    this.#logs.set(meta.id, { meta, events });
  }
}

export const memoryPersistence: Plugin<void> = {
  name: 'memory-persistence',
  inject: ['sessions'],
  apply(ctx) {
    const persistence = new MemoryPersistence();
    // Awaited at the end of every turn: what is resolved here is durable. `events` is immutable, so keeping it is enough.
    ctx.on('session/flush', (session) => persistence.keep(session.header, session.events));
    ctx.provide('persistence', persistence);
  },
};
