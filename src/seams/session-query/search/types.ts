import type { SessionEventType, SessionId } from '../../../harness/session/types.ts';
import type { SessionEventSurface, SessionRecord } from '../types.ts';

/** Bounds are inclusive. */
export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** Values inside one filter are alternatives; of a list of filters, all must hold. Times are epoch milliseconds. */
export type SessionFilter =
  | { readonly kind: 'id'; readonly values: readonly SessionId[] }
  | { readonly kind: 'cwd'; readonly values: readonly string[] }
  | ({ readonly kind: 'created-at' } & Range)
  | { readonly kind: 'parent'; readonly values: readonly SessionId[] }
  | { readonly kind: 'availability'; readonly values: readonly ('live' | 'persisted')[] };

/** `text` finds literal parts of words, which the index cannot: every text is looked through. */
export type EventFilter =
  | ({ readonly kind: 'seq' } & Range)
  | ({ readonly kind: 'time' } & Range)
  | { readonly kind: 'type'; readonly values: readonly SessionEventType[] }
  | { readonly kind: 'surface'; readonly values: readonly SessionEventSurface[] }
  | { readonly kind: 'text'; readonly values: readonly string[] };

interface SearchRequest {
  /** One literal phrase, found as whole words; may be left out beside a `text` filter. */
  readonly query?: string;
  /** 1 to 100; 20 unless told. */
  readonly limit?: number;
  /** From an earlier page of the same request. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}
export interface SessionSearchRequest extends SearchRequest {
  readonly sessionFilters?: readonly SessionFilter[];
  readonly eventFilters?: readonly EventFilter[];
}
export interface EventSearchRequest extends SearchRequest {
  readonly sessionId: SessionId;
  readonly filters?: readonly EventFilter[];
}

export interface SearchMatch {
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly type: SessionEventType;
  readonly time: number;
  readonly surface: SessionEventSurface;
  /** How often the phrase stands in the text. */
  readonly spans: number;
  /** Plain text around the first place, at most 240 code points. */
  readonly snippet: string;
}
export interface SessionSearchHit {
  readonly session: SessionRecord;
  /** How many events match. */
  readonly matches: number;
  readonly bestMatch: SearchMatch;
}
export interface SearchPage<Hit> {
  /** Best first. */
  readonly hits: readonly Hit[];
  readonly nextCursor?: string;
}
export interface SessionSearchPage extends SearchPage<SessionSearchHit> {
  /** Sessions whose logs cannot be read, and were not searched. */
  readonly unreadable: readonly SessionId[];
}
