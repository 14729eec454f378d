import type {
  SessionEvent,
  SessionEventType,
  SessionHeader,
  SessionId,
  SurfaceEvent,
} from '../../harness/session/types.ts';

/** A session of the corpus; both flags can be true. */
export interface SessionRecord {
  header: SessionHeader;
  live: boolean;
  persisted: boolean;
}

/** `current`: part of the history the model would see. `shadowed`: was replaced. `log-only`: never was part of it. */
export type SessionEventSurface = 'current' | 'shadowed' | 'log-only';

export interface SessionEventRecord {
  sessionId: SessionId;
  seq: number;
  type: SessionEventType;
  time: number;
  surface: SessionEventSurface;
}

export interface SessionSurfaceSnapshot {
  session: SessionHeader;
  /** Last seq of the observation; null for an empty log. */
  capturedThroughSeq: number | null;
  /** In model order. */
  events: SurfaceEvent[];
}

/** The latest `session/title` event, as it was written. */
export interface SessionTitleRecord {
  title: string;
  eventSeq: number;
  updatedAt: number;
}

export interface SessionEventReadRequest {
  sessionId: SessionId;
  seq: number;
  /** How many neighbours to read, each 0 unless told. */
  before?: number;
  after?: number;
}
export interface SessionEventWindow {
  session: SessionHeader;
  target: SessionEvent;
  /** From `startSeq` to `endSeq`, both inclusive. */
  events: SessionEvent[];
  startSeq: number;
  endSeq: number;
}

export interface SessionLineageNode {
  session: SessionRecord;
  descendants: SessionLineageNode[];
}
/** Ancestors from the nearest outward. Incomplete where a parent is not in the corpus. */
export type SessionLineageTrace = {
  target: SessionRecord;
  ancestors: SessionRecord[];
  descendants: SessionLineageNode[];
} & ({ complete: true; root: SessionRecord } | { complete: false; unresolvedParentId: SessionId });

export interface SessionEventTraceRequest {
  sessionId: SessionId;
  seq: number;
}
export interface SessionEventTrace {
  target: SessionEventRecord;
  /** The event that took the target's place on the surface. */
  replacedBy?: number;
  /** From that event to the last one in whose place it stands now. */
  replacementChain: number[];
  /** What the target itself took the place of. */
  replacedEventSeqs: number[];
  /** What the target says it was made from, as logged. */
  sourceEventSeqs: number[];
  /** Later events that say so of the target. */
  derivedEventSeqs: number[];
}
