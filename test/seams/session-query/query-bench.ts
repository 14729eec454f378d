import type { Context } from '../../../src/harness/kernel/context.ts';
import type { SessionPersistence, StoredSession } from '../../../src/harness/session/persistence.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import type { SessionStore } from '../../../src/harness/session/session-store.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { SessionEvent, SessionHeader } from '../../../src/harness/session/types.ts';
import { sessionQuery } from '../../../src/seams/session-query/session-query.ts';
import type { SessionQueryConfig, SessionQueryService } from '../../../src/seams/session-query/session-query.ts';
import { LogWriter, rootWithSessions, text } from '../../harness/session/session-fixture.ts';

/** Storage that only answers reads, and notes them. */
export class ReadOnlyStorage {
  readonly sessions = new Map<SessionId, StoredSession>();
  readonly asked: string[] = [];
  failsAt: string | undefined;
  /** Runs between an answer and whoever asked. */
  onAnswer: (what: string) => void = () => {};

  put(meta: SessionHeader, events: readonly SessionEvent[] = new LogWriter().shortTurn().session.events): this {
    this.sessions.set(meta.id, { meta, events });
    return this;
  }

  list(): Promise<SessionHeader[]> {
    return this.#answer('list', () => [...this.sessions.values()].map(({ meta }) => meta));
  }

  inspect(id: SessionId): Promise<StoredSession> {
    return this.#answer('inspect', () => this.sessions.get(id)!);
  }

  load(): Promise<StoredSession> {
    return this.#answer('load', () => {
      throw new Error('a query must not mend a log');
    });
  }

  async #answer<T>(what: string, read: () => T): Promise<T> {
    this.asked.push(what);
    if (this.failsAt === what) throw new Error('disk gone');
    const answer = read();
    this.onAnswer(what);
    return answer;
  }
}

export interface QueryBench {
  ctx: Context;
  sessions: SessionStore;
  query: SessionQueryService;
  storage: ReadOnlyStorage;
}

export async function queryBench(config: SessionQueryConfig = {}): Promise<QueryBench> {
  const { ctx, sessions } = await rootWithSessions();
  const storage = new ReadOnlyStorage();
  mount(ctx, storage);
  await ctx.plugin(sessionQuery, config);
  return { ctx, sessions, query: ctx.sessionQuery, storage };
}

export function mount(ctx: Context, storage: ReadOnlyStorage) {
  return ctx.provide('persistence', storage as unknown as SessionPersistence);
}

export function header(id: string, more: Partial<SessionHeader> = {}): SessionHeader {
  return { version: 0, id: SessionId(id), createdAt: 1_000, ...more };
}

export function live({ sessions }: QueryBench, meta: SessionHeader): LogWriter {
  return new LogWriter(sessions.create(meta.id, { meta }));
}

/** Condenses what stands on the surface from `start` to `end` into one message. */
export function condense(session: Session, start: number, end: number): number {
  const sourceEventSeqs = session.surface.nodes.filter((seq) => seq >= start && seq <= end);
  const data = { content: text('short'), source: { kind: 'plugin' as const, plugin: 'compaction' } };
  return session.append('context/message', data, { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs }).seq;
}
