import type { SessionEvent, SessionHeader, SessionId } from '../harness/session/types.ts';

/** What storage holds of a session, up to the first record it cannot read. */
export interface StoredPrefix<Torn> {
  meta: SessionHeader;
  /** Deep-frozen. */
  events: SessionEvent[];
  /** Where a torn tail begins, in the backend's own terms; may be 0. Absent when nothing is torn. */
  tornMarker?: Torn;
}

/** What a kind of storage implements. The coordinator never calls it twice at once for one session. */
export interface PersistenceBackend<Torn> {
  readonly name: string;
  /** Looks everywhere, and reads no events. */
  has(id: SessionId): Promise<boolean>;
  /** Looks everywhere. Undefined means that nothing is stored; damage before the last `turn/end` rejects. */
  loadStored(id: SessionId): Promise<StoredPrefix<Torn> | undefined>;
  /** Looks only where sessions of this `cwd` (undefined: of none) are kept. */
  loadLive(id: SessionId, cwd: string | undefined): Promise<StoredPrefix<Torn> | undefined>;
  /** Durable when it resolves. The first batch commits together with the header. */
  appendBatch(meta: SessionHeader, events: readonly SessionEvent[], isMaterialized: boolean): Promise<void>;
  /** Cuts the torn tail, then adds the closers. */
  commitRepair(meta: SessionHeader, tornMarker: Torn | undefined, closers: readonly SessionEvent[]): Promise<void>;
  list(): Promise<SessionHeader[]>;
  /** How long each log is; only where that needs no reading of logs. */
  lengths?(): Promise<ReadonlyMap<SessionId, number>>;
  close?(): Promise<void>;
}
