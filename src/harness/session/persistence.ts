import type { SessionEvent, SessionHeader, SessionId } from './types.ts';

declare module '../kernel/context.ts' {
  interface Context {
    persistence: SessionPersistence;
  }
}

/** Where a session is, or will be, kept. A hint for people: it may not exist yet. */
export interface SessionLocation {
  readonly kind: string;
  /** Absolute. */
  readonly path: string;
}

export interface StoredSession {
  meta: SessionHeader;
  /** Deep-frozen. */
  events: readonly SessionEvent[];
}

/** Durable session logs. Service `ctx.persistence`. One session has at most one writer at a time. */
export abstract class SessionPersistence {
  /** Without I/O. Undefined when sessions share one database. */
  abstract locate(meta: SessionHeader): SessionLocation | undefined;

  /** Announces a new session; nothing is written before its first event. Rejects an id that is known anywhere. */
  abstract create(meta: SessionHeader): Promise<void>;

  /** Resolves when the events are durable. The first one's seq must be the stored length. */
  abstract append(id: SessionId, events: readonly SessionEvent[]): Promise<void>;

  /**
   * Reads a session in order to go on with it: what a crash left behind is mended in storage first.
   * Only whoever may write the session may call this.
   */
  abstract load(id: SessionId): Promise<StoredSession>;

  /** Reads what is stored and changes nothing: for status pages, search and export, also while another one writes. */
  abstract inspect(id: SessionId): Promise<StoredSession>;

  /** Whether events of this session are stored. Reads none of them. */
  abstract has(id: SessionId): Promise<boolean>;

  /** Headers of all sessions that have events. */
  abstract list(): Promise<SessionHeader[]>;

  /** How long each stored log is; absent where storage cannot tell without reading the logs. */
  lengths?: (() => Promise<ReadonlyMap<SessionId, number>>) | undefined;
}
