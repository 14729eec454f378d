import { randomUUID } from 'node:crypto';
import type { Context, Plugin } from '../kernel/context.ts';
import { scopeTarget } from '../scope/scope.ts';
import { canonicalSessionHeader } from './canonical-session-header.ts';
import { forkSeed } from './fork-seed.ts';
import { Session } from './session.ts';
import type { SessionHost } from './session.ts';
import { SessionForkError, SessionLogError } from './session-errors.ts';
import { SessionId } from './types.ts';
import type {
  CreateSessionOptions,
  OutOfBandSessionEventMap,
  SessionEvent,
  SessionEventMap,
  TurnTrigger,
} from './types.ts';

declare module '../kernel/context.ts' {
  interface Context {
    sessions: SessionStore;
  }
  /** All scope-filtered by the agent that owns the session. */
  interface Events {
    /** A synchronous throw vetoes the session; `session/disposed` follows. */
    'session/created'(session: Session): void;
    'session/disposed'(session: Session): void;
    /** After the commit: a failing observer changes nothing. */
    'session/event'(session: Session, event: SessionEvent): void;
    /** Awaited by `flush`: resolve when all that was logged is durable. */
    'session/flush'(session: Session): void | Promise<void>;
  }
}

/** Sees an event before it is committed; a throw vetoes it. Must be pure, since another one may veto after it. */
export type SessionValidator = (session: Session, event: SessionEvent) => void;

/** Makes of the data of a new event what is stored, such as one without secrets; the same object where it changes nothing. */
export type SessionFilter = (data: object) => object;

export interface SessionStoreConfig {
  now?: () => number;
  newId?: () => string;
}

export const sessionStore: Plugin<SessionStoreConfig | undefined> = {
  name: 'session-store',
  apply(ctx, config) {
    const store = new SessionStore(ctx, config);
    ctx.effect(() => () => store.detachAll(), 'live sessions');
    ctx.provide('sessions', store);
  },
};

type OutOfBandType = keyof OutOfBandSessionEventMap & keyof SessionEventMap;

interface Entry {
  readonly session: Session;
  readonly carrier: object;
  isAnnounced: boolean;
  /** Dispatches and out-of-band appends under way: the session stays until they are done. */
  holds: number;
  isLeaving: boolean;
  isOutOfBand: boolean;
}

/** The live sessions of a process. Service `ctx.sessions`. */
export class SessionStore {
  readonly #ctx: Context;
  readonly #config: Required<SessionStoreConfig>;
  readonly #entries = new Map<SessionId, Entry>();
  readonly #validators = new Set<SessionValidator>();
  readonly #filters = new Set<SessionFilter>();
  readonly #prepared = new WeakSet<Session>();
  readonly #host: SessionHost;

  constructor(ctx: Context, { now = Date.now, newId = randomUUID }: SessionStoreConfig = {}) {
    this.#ctx = ctx;
    this.#config = { now, newId };
    this.#host = {
      now,
      admit: (session, event) => this.#admit(session, event),
      filter: (_session, data) => [...this.#filters].reduce((left, filter) => filter(left), data),
    };
  }

  /** Makes, publishes and announces a session that no agent owns. It lives until `detach`. */
  create(id?: SessionId, options?: CreateSessionOptions): Session {
    const session = this.prepare(id, options);
    this.enter(session);
    this.announce(session);
    return session;
  }

  /** Makes a session without publishing it. Throws `SessionLogError` on a bad header or seed. */
  prepare(id?: SessionId, { seed, meta = {} }: CreateSessionOptions = {}): Session {
    const header = canonicalSessionHeader(id ?? SessionId(this.#config.newId()), meta, this.#config.now());
    const session = new Session(header, this.#host, seed);
    this.#prepared.add(session);
    return session;
  }

  /**
   * Publishes a prepared session. `carrier` is that of the owning agent (`scopeTarget(base, agent)`); every event of
   * the session is dispatched with it. Returns the detach of exactly this entry; calling it again does nothing.
   */
  enter(session: Session, carrier: object = scopeTarget({}, undefined)): () => void {
    if (!this.#prepared.has(session))
      throw new SessionLogError('only a prepared session can enter', 'SESSION_NOT_LIVE');
    if (this.#entries.has(session.id)) {
      throw new SessionLogError(`session ${session.id} is live already`, 'SESSION_ALREADY_EXISTS');
    }
    const entry: Entry = { session, carrier, isAnnounced: false, holds: 0, isLeaving: false, isOutOfBand: false };
    this.#entries.set(session.id, entry);
    return () => this.#leave(entry);
  }

  /** Tells of an entered session, once. A listener's throw takes the session out again and is rethrown. */
  announce(session: Session): void {
    const entry = this.#live(session);
    if (entry.isAnnounced) throw new SessionLogError(`session ${session.id} is announced`, 'SESSION_ALREADY_EXISTS');
    entry.isAnnounced = true;
    entry.holds += 1;
    try {
      this.#ctx.emit(entry.carrier, 'session/created', session);
    } catch (error) {
      entry.isLeaving = true;
      throw error;
    } finally {
      this.#release(entry);
    }
  }

  /** Takes a session out, once what is being dispatched for it is done. */
  detach(session: Session): void {
    this.#leave(this.#live(session));
  }

  detachAll(): void {
    for (const entry of [...this.#entries.values()]) this.#leave(entry);
  }

  get(id: SessionId): Session | undefined {
    return this.#entries.get(id)?.session;
  }

  list(): Session[] {
    return Array.from(this.#entries.values(), ({ session }) => session);
  }

  isLive(session: Session): boolean {
    return this.get(session.id) === session;
  }

  /** Adds a check of every append to a live session; returns its undo. */
  addValidator(validator: SessionValidator): () => void {
    this.#validators.add(validator);
    return () => void this.#validators.delete(validator);
  }

  /** Adds a filter of what is appended from now on; returns its undo. */
  addFilter(filter: SessionFilter): () => void {
    this.#filters.add(filter);
    return () => void this.#filters.delete(filter);
  }

  /** Waits until all that was logged is durable; rejects with the first failure, after every listener has settled. */
  async flush(session: Session): Promise<void> {
    const { carrier } = this.#live(session);
    try {
      await this.#ctx.parallel(carrier, 'session/flush', session);
    } catch (error) {
      throw firstFailure(error);
    }
  }

  /**
   * A live child that begins with the source's events through `boundary`, which must be a `turn/end` (default: the
   * last event). Throws `SessionForkError`.
   */
  fork(source: Session | SessionId, boundary?: number, childId?: SessionId): Session {
    const parent = this.#forkSource(source);
    if (childId !== undefined && this.#entries.has(childId)) {
      throw new SessionForkError(`session ${childId} is live already`, 'SESSION_ALREADY_EXISTS');
    }
    const seed = forkSeed(parent, boundary);
    const { cwd } = parent.header;
    const meta = { ...(cwd !== undefined && { cwd }), parentSession: parent.id, seedLength: seed.length };
    return this.create(childId, { seed, meta });
  }

  /**
   * Adds one event whose owner opted it in, whether or not a turn is open. Without one a turn of no steps is written
   * around it and flushed. Overlapping calls for one session reject.
   */
  async appendOutOfBand<T extends OutOfBandType>(
    session: Session,
    type: T,
    data: SessionEventMap[T],
    trigger: TurnTrigger,
  ): Promise<SessionEvent<T>> {
    const entry = this.#live(session);
    if (entry.isOutOfBand) {
      throw new SessionLogError(`session ${session.id} has an out-of-band append under way`, 'OVERLAPPING_APPEND');
    }
    entry.isOutOfBand = true;
    entry.holds += 1;
    try {
      if (session.openTurn !== undefined) return appendLogOnly(session, type, data);
      return await this.#appendInOwnTurn(session, type, data, trigger);
    } finally {
      entry.isOutOfBand = false;
      this.#release(entry);
    }
  }

  async #appendInOwnTurn<T extends OutOfBandType>(
    session: Session,
    type: T,
    data: SessionEventMap[T],
    trigger: TurnTrigger,
  ): Promise<SessionEvent<T>> {
    const turn = session.lastTurn + 1;
    session.append('turn/start', { turn, trigger });
    let refused: unknown;
    let event: SessionEvent<T> | undefined;
    try {
      event = appendLogOnly(session, type, data);
    } catch (error) {
      refused = error;
    }
    session.append('turn/end', { turn, reason: { kind: 'completed' } });
    await this.flush(session);
    if (!event) throw refused;
    return event;
  }

  #admit(session: Session, event: SessionEvent): () => void {
    const entry = this.#entries.get(session.id);
    if (entry?.session !== session) return () => {};
    entry.holds += 1;
    try {
      for (const validate of this.#validators) validate(session, event);
    } catch (error) {
      this.#release(entry);
      throw error;
    }
    return () => {
      this.#notify(entry, event);
      this.#release(entry);
    };
  }

  /** After the commit nothing may fail the append, an invariant of the kernel included. */
  #notify({ session, carrier }: Entry, event: SessionEvent): void {
    try {
      this.#ctx.notify(carrier, 'session/event', session, event);
    } catch (error) {
      this.#ctx.notify('kernel/error', error, 'session/event');
    }
  }

  #live(session: Session): Entry {
    const entry = this.#entries.get(session.id);
    if (entry?.session === session) return entry;
    throw new SessionLogError(`session ${session.id} is not live`, 'SESSION_NOT_LIVE');
  }

  #forkSource(source: Session | SessionId): Session {
    if (typeof source !== 'string') {
      if (this.isLive(source)) return source;
      throw new SessionForkError(`session ${source.id} is not live`, 'SESSION_NOT_LIVE');
    }
    const session = this.get(source);
    if (session) return session;
    throw new SessionForkError(`there is no live session ${source}`, 'SESSION_NOT_FOUND');
  }

  #release(entry: Entry): void {
    entry.holds -= 1;
    if (entry.holds === 0 && entry.isLeaving) this.#leave(entry);
  }

  #leave(entry: Entry): void {
    const { session, carrier } = entry;
    if (this.#entries.get(session.id) !== entry) return;
    entry.isLeaving = true;
    if (entry.holds > 0) return;
    this.#entries.delete(session.id);
    if (entry.isAnnounced) this.#ctx.notify(carrier, 'session/disposed', session);
  }
}

function appendLogOnly<T extends OutOfBandType>(session: Session, type: T, data: SessionEventMap[T]): SessionEvent<T> {
  const append = session.append.bind(session) as (type: T, data: SessionEventMap[T]) => SessionEvent<T>;
  return append(type, data);
}

function firstFailure(error: unknown): unknown {
  const errors: unknown = Error.isError(error) && error.name === 'AggregateError' && (error as AggregateError).errors;
  return Array.isArray(errors) && errors.length > 0 ? errors[0] : error;
}
