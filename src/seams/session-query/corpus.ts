import type { SessionPersistence } from '../../harness/session/persistence.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent, SessionHeader, SessionId } from '../../harness/session/types.ts';
import { SessionQueryError } from './session-query-error.ts';
import type { SessionRecord } from './types.ts';

/** One observation of a log. The events are frozen and shared: what leaves the seam is copied. */
export interface ObservedLog {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
}

interface Sources {
  readonly live: { get(id: SessionId): Session | undefined; list(): Session[] };
  /** What is mounted now. */
  stored(): Pick<SessionPersistence, 'list' | 'inspect' | 'lengths'> | undefined;
}

/** The live and the stored sessions as one. Keeps nothing between calls. */
export class Corpus {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Newest first. Reads no log. */
  async list(): Promise<SessionRecord[]> {
    const stored = new Map((await this.#listStored()).map((header) => [header.id, header]));
    const live = new Map(this.#sources.live.list().map(({ header }) => [header.id, header]));
    const ids = [...new Set([...live.keys(), ...stored.keys()])];
    return ids.map((id) => recordOf(live.get(id), stored.get(id))).sort(newestFirst);
  }

  /** A live log is read without asking storage. Rejects with `SESSION_QUERY_SESSION_NOT_FOUND`, among others. */
  async read(id: SessionId): Promise<ObservedLog> {
    const live = this.#sources.live.get(id);
    if (live) return observe(live);
    const listed = (await this.#listStored()).find((header) => header.id === id);
    // It may have come to life, or have been made, meanwhile.
    const stored = listed && (await this.#inspect(listed));
    const nowLive = this.#sources.live.get(id);
    if (nowLive) return observe(nowLive);
    if (stored) return stored;
    throw new SessionQueryError(`there is no session ${id}`, 'SESSION_QUERY_SESSION_NOT_FOUND');
  }

  /** How long the stored logs are, where that can be told without reading them. */
  async lengths(): Promise<ReadonlyMap<SessionId, number> | undefined> {
    const stored = this.#sources.stored();
    return stored?.lengths ? guarded(() => stored.lengths?.()) : undefined;
  }

  async #inspect(listed: SessionHeader): Promise<ObservedLog> {
    const { meta, events } = await guarded(() => this.#sources.stored()?.inspect(listed.id));
    assertSame(listed, meta);
    return { header: meta, events };
  }

  async #listStored(): Promise<SessionHeader[]> {
    return this.#sources.stored() ? guarded(() => this.#sources.stored()?.list()) : [];
  }
}

function observe(session: Session): ObservedLog {
  return { header: session.header, events: session.events };
}

async function guarded<T>(read: () => Promise<T> | undefined): Promise<T> {
  let cause: unknown = new Error('the storage was unmounted');
  try {
    const result = await read();
    if (result !== undefined) return result;
  } catch (error) {
    cause = error;
  }
  throw new SessionQueryError('the stored sessions cannot be read', 'SESSION_QUERY_PERSISTENCE_FAILED', { cause });
}

function recordOf(live: SessionHeader | undefined, stored: SessionHeader | undefined): SessionRecord {
  if (live && stored) assertSame(live, stored);
  return { header: { ...(live ?? stored!) }, live: live !== undefined, persisted: stored !== undefined };
}

/** Not `delegationDepth`: one storage turns an absent one into 0. */
const IMMUTABLE = ['version', 'id', 'createdAt', 'cwd', 'parentSession', 'seedLength'] as const;

function assertSame(a: SessionHeader, b: SessionHeader): void {
  const differing = IMMUTABLE.find((field) => a[field] !== b[field]);
  if (differing === undefined) return;
  throw new SessionQueryError(`two sources of ${a.id} differ in ${differing}`, 'SESSION_QUERY_SOURCE_CONFLICT');
}

function newestFirst({ header: a }: SessionRecord, { header: b }: SessionRecord): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
}
