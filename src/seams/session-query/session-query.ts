import type { Context, Plugin } from '../../harness/kernel/context.ts';
import '../../harness/session/persistence.ts';
import '../../harness/session/session-store.ts';
import type { SessionEvent, SessionId, SurfaceEvent } from '../../harness/session/types.ts';
import { Corpus } from './corpus.ts';
import type { ObservedLog } from './corpus.ts';
import './search/search-index.ts';
import { SessionSearch } from './search/session-search.ts';
import type {
  EventSearchRequest,
  SearchMatch,
  SearchPage,
  SessionSearchPage,
  SessionSearchRequest,
} from './search/types.ts';
import { SessionQueryError } from './session-query-error.ts';
import { surfaceIndex } from './surface-index.ts';
import { recordOf, traceEvent } from './trace-event.ts';
import { traceLineage } from './trace-lineage.ts';
import type {
  SessionEventReadRequest,
  SessionEventRecord,
  SessionEventTrace,
  SessionEventTraceRequest,
  SessionEventWindow,
  SessionLineageTrace,
  SessionRecord,
  SessionSurfaceSnapshot,
  SessionTitleRecord,
} from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    sessionQuery: SessionQueryService;
  }
}

export interface SessionQueryConfig {
  /** Most neighbours to each side of an event in one read. */
  readWindowMax?: number;
}

const READ_WINDOW_MAX = 50;

/** Provides `ctx.sessionQuery`, over the live sessions and whatever storage is mounted at each call. */
export const sessionQuery: Plugin<SessionQueryConfig> = {
  name: 'session-query',
  inject: ['sessions'],
  apply: (ctx: Context, { readWindowMax = READ_WINDOW_MAX }) => {
    if (!isCount(readWindowMax)) {
      const message = `readWindowMax must be a whole number of at least 0, not ${String(readWindowMax)}`;
      throw new SessionQueryError(message, 'SESSION_QUERY_INVALID_CONFIG');
    }
    const corpus = new Corpus({ live: ctx.sessions, stored: () => ctx.get('persistence') });
    const search = new SessionSearch(corpus, () => ctx.get('sessionSearchIndex'));
    ctx.provide('sessionQuery', new SessionQueryService(corpus, search, readWindowMax));
  },
};

/**
 * Reads of all sessions. It checks logs and not callers: whoever offers it to others must decide what they may see.
 * All answers are copies. Rejects with `SessionQueryError`.
 */
export class SessionQueryService {
  readonly #corpus: Corpus;
  readonly #search: SessionSearch;
  readonly #readWindowMax: number;

  constructor(corpus: Corpus, search: SessionSearch, readWindowMax: number) {
    this.#corpus = corpus;
    this.#search = search;
    this.#readWindowMax = readWindowMax;
  }

  /** Newest first. */
  listSessions(): Promise<SessionRecord[]> {
    return this.#corpus.list();
  }

  /** Undefined for a session without a title. */
  async readTitle(id: SessionId): Promise<SessionTitleRecord | undefined> {
    const { events } = await this.#corpus.read(id);
    const event = events.findLast(({ type }) => (type as string) === 'session/title');
    return (
      event &&
      structuredClone({ ...(event.data as unknown as { title: string }), eventSeq: event.seq, updatedAt: event.time })
    );
  }

  async listEvents(id: SessionId): Promise<SessionEventRecord[]> {
    const log = await this.#corpus.read(id);
    const index = surfaceIndex(log.events);
    return log.events.map((event) => recordOf(log, event, index));
  }

  async readSurface(id: SessionId): Promise<SessionSurfaceSnapshot> {
    const { header, events } = await this.#corpus.read(id);
    const surface = surfaceIndex(events).nodes.map((seq) => events[seq] as SurfaceEvent);
    return { session: { ...header }, capturedThroughSeq: events.at(-1)?.seq ?? null, events: structuredClone(surface) };
  }

  /** Raw: it reads a log whose surface is broken, too. */
  async readEvent({ sessionId, seq, before = 0, after = 0 }: SessionEventReadRequest): Promise<SessionEventWindow> {
    for (const [name, value] of Object.entries({ before, after })) {
      if (isCount(value) && value <= this.#readWindowMax) continue;
      const message = `${name} must be a whole number from 0 to ${this.#readWindowMax}, not ${String(value)}`;
      throw new SessionQueryError(message, 'SESSION_QUERY_INVALID_WINDOW');
    }
    const log = await this.#corpus.read(sessionId);
    const target = eventOf(log, seq);
    const [startSeq, endSeq] = [Math.max(0, seq - before), Math.min(log.events.length - 1, seq + after)];
    const events = log.events.slice(startSeq, endSeq + 1);
    return structuredClone({ session: log.header, target, events, startSeq, endSeq });
  }

  /** Sessions in which the query stands, best first. Needs a mounted index. */
  searchSessions(request: SessionSearchRequest): Promise<SessionSearchPage> {
    return this.#search.sessions(request);
  }

  /** Events of one session in which the query stands, best first. */
  searchEvents(request: EventSearchRequest): Promise<SearchPage<SearchMatch>> {
    return this.#search.events(request);
  }

  async traceSession(id: SessionId): Promise<SessionLineageTrace> {
    return traceLineage(await this.#corpus.list(), id);
  }

  async traceEvent({ sessionId, seq }: SessionEventTraceRequest): Promise<SessionEventTrace> {
    const log = await this.#corpus.read(sessionId);
    return traceEvent(log, eventOf(log, seq));
  }
}

function eventOf({ header, events }: ObservedLog, seq: number): SessionEvent {
  const event = events[seq];
  if (event) return event;
  const message = `session ${header.id} has no event ${seq}, only ${events.length} events`;
  throw new SessionQueryError(message, 'SESSION_QUERY_EVENT_NOT_FOUND');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
