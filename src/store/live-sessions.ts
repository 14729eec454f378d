import type { Context } from '../harness/kernel/context.ts';
import type { Session } from '../harness/session/session.ts';
import '../harness/session/session-store.ts';
import type { PersistenceBackend } from './persistence-backend.ts';
import type { PersistenceCoordinator } from './persistence-coordinator.ts';
import type { LiveLog } from './tracked-session.ts';

interface Followed extends LiveLog {
  /** The claim of its log; a rejection is told by the next flush. */
  ready: Promise<void>;
}
type Writer = Pick<PersistenceCoordinator<unknown>, 'queue' | 'claim' | 'drain' | 'release'>;
type Closable = Pick<PersistenceBackend<unknown>, 'name' | 'close'>;

/**
 * Stores the live sessions of a context: their seed at once, later events at each `session/flush`, the rest when they
 * are disposed. Undone in order: it stops listening, drains what is left, then closes the backend.
 */
export function storeLiveSessions(ctx: Context, coordinator: Writer, backend: Closable): void {
  const live = new LiveSessions(coordinator);
  ctx.effect(function* () {
    yield () => live.close(backend);
    yield ctx.on('session/created', (session) => live.follow(session));
    yield ctx.on('session/event', (session, event) => void live.of(session)?.buffer.push(event));
    yield ctx.on('session/flush', (session) => live.flush(session));
    yield ctx.on('session/disposed', (session) => live.retire(session));
    ctx.sessions.list().forEach((session) => live.follow(session));
  }, `live sessions in ${backend.name}`);
}

class LiveSessions {
  readonly #coordinator: Writer;
  readonly #followed = new Map<Session, Followed>();

  constructor(coordinator: Writer) {
    this.#coordinator = coordinator;
  }

  of(session: Session): LiveLog | undefined {
    return this.#followed.get(session);
  }

  follow(session: Session): void {
    const seed = session.events;
    const log: Followed = { session, buffer: [], ready: Promise.resolve() };
    log.ready = this.#coordinator.queue.run(session.id, () => this.#coordinator.claim(log, seed));
    log.ready.catch(() => {});
    this.#followed.set(session, log);
  }

  async flush(session: Session): Promise<void> {
    const log = this.#followed.get(session);
    if (log) await this.#drain(log);
  }

  /** Queued at once, so that a `load` asked for next finds the log complete and free. */
  retire(session: Session): void {
    const log = this.#followed.get(session);
    if (log) this.#drain(log, () => this.#forget(log)).catch(() => {});
  }

  async close(backend: Closable): Promise<void> {
    const errors: unknown[] = [];
    await this.#coordinator.queue.whenIdle();
    for (const log of [...this.#followed.values()]) {
      await this.#drain(log, () => this.#forget(log)).catch((error: unknown) => errors.push(error));
    }
    await this.#coordinator.queue.whenIdle();
    await backend.close?.().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, `${backend.name} could not store everything`);
  }

  #drain(log: Followed, then?: () => void): Promise<void> {
    return this.#coordinator.queue.run(log.session.id, async () => {
      await log.ready;
      await this.#coordinator.drain(log);
      then?.();
    });
  }

  #forget(log: Followed): void {
    this.#followed.delete(log.session);
    this.#coordinator.release(log);
  }
}
