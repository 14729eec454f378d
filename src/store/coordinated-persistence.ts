import { SessionPersistence } from '../harness/session/persistence.ts';
import type { SessionLocation, StoredSession } from '../harness/session/persistence.ts';
import type { SessionEvent, SessionHeader, SessionId } from '../harness/session/types.ts';
import type { PersistenceBackend } from './persistence-backend.ts';
import type { PersistenceCoordinator } from './persistence-coordinator.ts';

type Coordinator = Pick<PersistenceCoordinator<unknown>, 'create' | 'append' | 'load' | 'inspect'>;
type Backend = Pick<PersistenceBackend<unknown>, 'has' | 'list' | 'lengths'> & {
  /** Absent when sessions share one database. */
  locate?(meta: SessionHeader): SessionLocation;
};

/** The persistence service over a backend and its coordinator. */
export class CoordinatedPersistence extends SessionPersistence {
  readonly #backend: Backend;
  readonly #coordinator: Coordinator;

  constructor(backend: Backend, coordinator: Coordinator) {
    super();
    this.#backend = backend;
    this.#coordinator = coordinator;
    if (backend.lengths) this.lengths = () => backend.lengths!();
  }

  locate(meta: SessionHeader): SessionLocation | undefined {
    return this.#backend.locate?.(meta);
  }

  create(meta: SessionHeader): Promise<void> {
    return this.#coordinator.create(meta);
  }

  append(id: SessionId, events: readonly SessionEvent[]): Promise<void> {
    return this.#coordinator.append(id, events);
  }

  load(id: SessionId): Promise<StoredSession> {
    return this.#coordinator.load(id);
  }

  inspect(id: SessionId): Promise<StoredSession> {
    return this.#coordinator.inspect(id);
  }

  has(id: SessionId): Promise<boolean> {
    return this.#backend.has(id);
  }

  list(): Promise<SessionHeader[]> {
    return this.#backend.list();
  }
}
