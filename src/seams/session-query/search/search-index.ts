import type { SessionEventType, SessionId } from '../../../harness/session/types.ts';
import type { SessionEventSurface } from '../types.ts';
import type { EventFilter, SearchMatch } from './types.ts';

/** What of one event can be found. */
export interface SearchDocument {
  readonly seq: number;
  readonly type: SessionEventType;
  readonly time: number;
  readonly surface: SessionEventSurface;
  readonly text: string;
}

export interface IndexQuery {
  /** Found as whole words, all of it data. */
  readonly phrase: string | undefined;
  readonly filters: readonly EventFilter[];
  /** Where to look, those of `overlay` included. */
  readonly sessions: readonly SessionId[];
  /** Sessions as they are now in memory, in place of what the index holds of them. */
  readonly overlay: ReadonlyMap<SessionId, readonly SearchDocument[]>;
  /** Only the best match of each session. */
  readonly bestOnly: boolean;
  readonly offset: number;
  readonly limit: number;
}
export interface IndexMatch extends SearchMatch {
  /** Matches in the same session; 1 unless `bestOnly`. */
  readonly matches: number;
}

/**
 * Finds words in the texts of stored sessions. It holds nothing that could not be made anew from their logs. Order of
 * matches: spans descending, length of the text ascending, time descending, session id ascending, seq descending.
 * Service `ctx.sessionSearchIndex`.
 */
export interface SessionSearchIndex {
  /** The mark each session was put with. */
  marks(): Promise<ReadonlyMap<SessionId, string>>;
  /** Replaces all of a session. */
  put(session: SessionId, mark: string, documents: readonly SearchDocument[]): Promise<void>;
  drop(sessions: readonly SessionId[]): Promise<void>;
  /** One match more than `limit` tells that there are more. */
  search(query: IndexQuery): Promise<IndexMatch[]>;
}

declare module '../../../harness/kernel/context.ts' {
  interface Context {
    sessionSearchIndex: SessionSearchIndex;
  }
}
