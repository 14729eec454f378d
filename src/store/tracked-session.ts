import type { Session } from '../harness/session/session.ts';
import type { SessionEvent, SessionHeader } from '../harness/session/types.ts';

/** A live session as the coordinator follows it. */
export interface LiveLog {
  readonly session: Session;
  /** Committed events that are not durable yet. */
  readonly buffer: SessionEvent[];
}

/** What the process knows of one stored, or soon stored, session. */
export interface TrackedSession {
  readonly meta: SessionHeader;
  /** Number of durable events. */
  length: number;
  /** Whether storage holds its header; a torn log may hold nothing else. */
  isMaterialized: boolean;
  /** Whether the last batch failed: perhaps it is stored all the same, and only the answer was lost. */
  isInDoubt?: boolean;
  /** The live session that writes it; absent after `create` and `load`. */
  owner?: LiveLog;
  /** What `load` read, until the log grows: it spares the second reading when a session is resumed. */
  loaded?: readonly SessionEvent[];
}
