import { isHarnessError } from '../../../harness/llm/errors.ts';
import type { SessionId } from '../../../harness/session/types.ts';
import type { Corpus } from '../corpus.ts';
import { SessionQueryError } from '../session-query-error.ts';
import type { SessionRecord } from '../types.ts';
import { filterSessions } from './filter-sessions.ts';
import { digestOf, readCursor, writeCursor } from './search-cursor.ts';
import type { IndexMatch, SessionSearchIndex } from './search-index.ts';
import { checkSearch } from './search-request.ts';
import type { CheckedSearch } from './search-request.ts';
import { assertWanted, syncIndex } from './sync-index.ts';
import type { SyncedCorpus } from './sync-index.ts';
import type {
  EventSearchRequest,
  SearchMatch,
  SearchPage,
  SessionSearchHit,
  SessionSearchPage,
  SessionSearchRequest,
} from './types.ts';

/** Full-text search over a corpus. `indexNow` is the index that is mounted at the time of a call. */
export class SessionSearch {
  readonly #corpus: Corpus;
  readonly #indexNow: () => SessionSearchIndex | undefined;

  constructor(corpus: Corpus, indexNow: () => SessionSearchIndex | undefined) {
    this.#corpus = corpus;
    this.#indexNow = indexNow;
  }

  async sessions({ cursor, signal, ...given }: SessionSearchRequest): Promise<SessionSearchPage> {
    const request = checkSearch('sessions', given);
    const found = await this.#find(request, { bestOnly: true, cursor, signal });
    const byId = new Map(found.wanted.map((record) => [record.header.id, record]));
    const hits = found.page.map(({ matches, ...bestMatch }): SessionSearchHit => ({
      session: structuredClone(byId.get(bestMatch.sessionId)!),
      matches,
      bestMatch,
    }));
    return { hits, ...found.next, unreadable: found.unreadable };
  }

  async events({ sessionId, filters, cursor, signal, ...given }: EventSearchRequest): Promise<SearchPage<SearchMatch>> {
    const sessionFilters = [{ kind: 'id' as const, values: [sessionId] }];
    const request = checkSearch('events', { ...given, sessionFilters, eventFilters: filters });
    const found = await this.#find(request, { bestOnly: false, cursor, signal });
    if (found.wanted.length === 0) {
      throw new SessionQueryError(`there is no session ${sessionId}`, 'SESSION_QUERY_SESSION_NOT_FOUND');
    }
    if (found.unreadable.length > 0) {
      throw new SessionQueryError(`the log of ${sessionId} cannot be read`, 'SESSION_QUERY_CORRUPT_SESSION');
    }
    const hits = found.page.map(({ matches: _matches, ...match }): SearchMatch => match);
    return { hits, ...found.next };
  }

  async #find(request: CheckedSearch, { bestOnly, cursor, signal }: FindOptions): Promise<Found> {
    const index = this.#indexNow();
    if (!index) throw new SessionQueryError('no search index is mounted', 'SESSION_QUERY_SEARCH_DISABLED');
    assertWanted(signal);
    const all = await this.#corpus.list();
    const wanted = filterSessions(all, request.sessionFilters);
    const synced = await indexing(() => syncIndex(this.#corpus, index, { all, wanted, signal }));
    const generation = generationOf(synced);
    const offset = readCursor(cursor, { request: request.key, generation });
    const { phrase, limit, eventFilters: filters } = request;
    const { overlay, marks, unreadable } = synced;
    const query = { phrase, filters, sessions: [...marks.keys()], overlay, bestOnly, offset, limit };
    const matches = await indexing(() => index.search(query));
    assertWanted(signal);
    const more = matches.length > limit;
    const next = more ? { nextCursor: writeCursor({ request: request.key, generation, offset: offset + limit }) } : {};
    return { wanted, unreadable, page: matches.slice(0, limit), next };
  }
}

interface FindOptions {
  readonly bestOnly: boolean;
  readonly cursor: string | undefined;
  readonly signal: AbortSignal | undefined;
}
interface Found {
  readonly wanted: readonly SessionRecord[];
  readonly unreadable: readonly SessionId[];
  readonly page: readonly IndexMatch[];
  readonly next: { readonly nextCursor?: string };
}

function generationOf({ marks, unreadable }: SyncedCorpus): string {
  return digestOf(JSON.stringify([[...marks].sort(([a], [b]) => (a < b ? -1 : 1)), [...unreadable].sort()]));
}

/** Whatever is not said in our own terms is the index failing. */
async function indexing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isHarnessError(cause) && cause.code.startsWith('SESSION_QUERY_')) throw cause;
    const message = 'the search index cannot be used; it holds nothing of its own and may be deleted';
    throw new SessionQueryError(message, 'SESSION_QUERY_INDEX_FAILED', { cause });
  }
}
