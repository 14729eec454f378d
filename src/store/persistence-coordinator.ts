import { canonicalSessionHeader } from '../harness/session/canonical-session-header.ts';
import { checkEvent } from '../harness/session/check-event.ts';
import { interruptedTurnClosers } from '../harness/session/interrupted-turn-closers.ts';
import { copyJsonValue, jsonEquals, snapshotOfParts } from '../harness/session/json.ts';
import type { StoredSession } from '../harness/session/persistence.ts';
import type { SessionEvent, SessionHeader, SessionId } from '../harness/session/types.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { PersistenceBackend, StoredPrefix } from './persistence-backend.ts';
import { PersistenceError } from './persistence-error.ts';
import type { LiveLog, TrackedSession } from './tracked-session.ts';

/**
 * The rules every kind of storage shares: order of work, sequence numbers, repair, and who owns a log.
 * All work on one id runs in one queue, so a method that queues must never wait for another one that does.
 */
export class PersistenceCoordinator<Torn> {
  readonly queue = new KeyedQueue<SessionId>();
  readonly #backend: PersistenceBackend<Torn>;
  readonly #tracked = new Map<SessionId, TrackedSession>();

  constructor(backend: PersistenceBackend<Torn>) {
    this.#backend = backend;
  }

  async create(given: SessionHeader): Promise<void> {
    const meta = canonicalSessionHeader(given.id, given, given.createdAt);
    await this.queue.run(meta.id, async () => {
      if (this.#tracked.has(meta.id) || (await this.#backend.has(meta.id))) throw taken(meta.id);
      this.#tracked.set(meta.id, { meta, length: 0, isMaterialized: false });
    });
  }

  async append(id: SessionId, given: readonly SessionEvent[]): Promise<void> {
    const events = Array.from(given, (event) => copyJsonValue(event));
    events.forEach(checkEvent);
    await this.queue.run(id, async () => {
      const tracked = this.#tracked.get(id) ?? (await this.#loadAndTrack(id));
      await this.#write(tracked, events);
    });
  }

  load(id: SessionId): Promise<StoredSession> {
    return this.queue.run(id, async () => {
      if (this.#tracked.get(id)?.owner) {
        throw new PersistenceError(`session ${id} is live; its log cannot be mended`, 'SESSION_IS_LIVE');
      }
      const { meta, loaded } = await this.#loadAndTrack(id);
      return { meta: { ...meta }, events: loaded };
    });
  }

  inspect(id: SessionId): Promise<StoredSession> {
    return this.queue.run(id, async () => {
      const { meta, events } = await this.#stored(id);
      return { meta: { ...meta }, events: snapshotOfParts(events) };
    });
  }

  /** Makes a live session the owner of its log and stores what of its seed is missing. Not queued. */
  async claim(live: LiveLog, seed: readonly SessionEvent[]): Promise<void> {
    const { header } = live.session;
    const tracked = this.#tracked.get(header.id);
    const stored = tracked ? await this.#claimable(tracked, header) : await this.#adoptable(header, seed);
    const { length = 0 } = stored ?? [];
    if (stored && !isPrefix(stored, seed)) throw taken(header.id);
    const meta = tracked && !tracked.owner ? tracked.meta : header;
    const claimed: TrackedSession = { meta, length, isMaterialized: stored !== undefined, owner: live };
    this.#tracked.set(header.id, claimed);
    await this.#write(claimed, seed.slice(length));
  }

  /** Stores what a live session has logged since. On failure its buffer stays as it is. Not queued. */
  async drain(live: LiveLog): Promise<void> {
    const tracked = this.#tracked.get(live.session.id);
    if (tracked?.owner !== live) throw taken(live.session.id);
    const batch = live.buffer.slice();
    await this.#write(
      tracked,
      batch.filter(({ seq }) => seq >= tracked.length),
    );
    live.buffer.splice(0, batch.length);
  }

  /** Forgets a session, if this very live session owns it. */
  release(live: LiveLog): void {
    if (this.#tracked.get(live.session.id)?.owner === live) this.#tracked.delete(live.session.id);
  }

  /** The stored events of a tracked session that nobody writes; undefined if nothing is stored yet. */
  async #claimable(tracked: TrackedSession, { id, cwd }: SessionHeader): Promise<readonly SessionEvent[] | undefined> {
    const { owner, isMaterialized, loaded } = tracked;
    if (owner && (isMaterialized || owner.buffer.length > 0)) throw taken(id);
    if (!owner && tracked.meta.cwd !== cwd) throw taken(id);
    if (!isMaterialized) return undefined;
    return loaded ?? (await this.#stored(id)).events;
  }

  /** A log this process has not seen: of the same place it is taken over, its torn tail cut, its open turn left open. */
  async #adoptable(
    { id, cwd }: SessionHeader,
    seed: readonly SessionEvent[],
  ): Promise<readonly SessionEvent[] | undefined> {
    const stored = await this.#backend.loadLive(id, cwd);
    if (!stored) {
      if (await this.#backend.has(id)) throw taken(id);
      return undefined;
    }
    if (!isPrefix(stored.events, seed)) throw taken(id);
    if (stored.tornMarker !== undefined) await this.#backend.commitRepair(stored.meta, stored.tornMarker, []);
    return stored.events;
  }

  async #loadAndTrack(id: SessionId): Promise<TrackedSession & { loaded: readonly SessionEvent[] }> {
    const { meta, events, tornMarker } = await this.#stored(id);
    const closers = interruptedTurnClosers(events).map((closer) => copyJsonValue(closer));
    if (tornMarker !== undefined || closers.length > 0) await this.#backend.commitRepair(meta, tornMarker, closers);
    const loaded = snapshotOfParts([...events, ...closers]);
    const tracked = { meta, length: loaded.length, isMaterialized: true, loaded };
    this.#tracked.set(id, tracked);
    return tracked;
  }

  async #stored(id: SessionId): Promise<StoredPrefix<Torn>> {
    const stored = await this.#backend.loadStored(id);
    if (stored) return stored;
    throw new PersistenceError(`no session ${id} is stored`, 'SESSION_NOT_STORED');
  }

  async #write(tracked: TrackedSession, events: readonly SessionEvent[]): Promise<void> {
    if (events.length === 0) return;
    const misplaced = events.find((event, index) => event.seq !== tracked.length + index);
    if (misplaced) {
      const message = `event ${misplaced.seq} does not follow the ${tracked.length} stored events of ${tracked.meta.id}`;
      throw new PersistenceError(message, 'SEQ_MISMATCH');
    }
    const left = tracked.isInDoubt ? await this.#settleDoubt(tracked, events) : events;
    if (left.length > 0) await this.#appendLeft(tracked, left);
    tracked.isMaterialized = true;
    tracked.length += left.length;
    delete tracked.loaded;
  }

  async #appendLeft(tracked: TrackedSession, events: readonly SessionEvent[]): Promise<void> {
    try {
      await this.#backend.appendBatch(tracked.meta, events, tracked.isMaterialized);
    } catch (error) {
      // What was refused is not stored. Of anything else it is not known: perhaps the connection broke behind the commit.
      tracked.isInDoubt = !(error instanceof PersistenceError);
      throw error;
    }
  }

  /** What of a batch is not stored yet, after one that failed. Throws `SEQ_MISMATCH` where somebody else wrote there. */
  async #settleDoubt(tracked: TrackedSession, events: readonly SessionEvent[]): Promise<readonly SessionEvent[]> {
    const stored = await this.#backend.loadStored(tracked.meta.id);
    if (!stored) return events;
    if (stored.tornMarker !== undefined) await this.#backend.commitRepair(stored.meta, stored.tornMarker, []);
    const arrived = stored.events.slice(tracked.length);
    if (!isPrefix(arrived, events)) {
      throw new PersistenceError(`another process wrote session ${tracked.meta.id}`, 'SEQ_MISMATCH');
    }
    tracked.isMaterialized = true;
    tracked.isInDoubt = false;
    tracked.length += arrived.length;
    return events.slice(arrived.length);
  }
}

function isPrefix(stored: readonly SessionEvent[], log: readonly SessionEvent[]): boolean {
  return stored.length <= log.length && stored.every((event, index) => jsonEquals(event, log[index]));
}

function taken(id: SessionId): PersistenceError {
  return new PersistenceError(`session ${id} has another log`, 'SESSION_ID_TAKEN');
}
